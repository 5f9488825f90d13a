import type { JsonSchema } from "../../src/config/schema.ts";
import { isSchema } from "./configuration-values.ts";
import { settingsJsonSchema } from "./settings-schema.ts";

const LINE_WIDTH = 120;

/** config/prtg-exporter.schema.json, formatted as in this repository. */
export function editorSchemaFile(): string {
  return printJson(editorSchema());
}

/** JSON, formatted as in this repository. */
export function printJson(value: unknown): string {
  return `${print(value, "", 0)}\n`;
}

/** Lists stay on one line if they fit. `used`: characters before. */
function print(value: unknown, indent: string, used: number): string {
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const line = oneLine(value);
    if (line !== undefined && used + line.length + ",".length <= LINE_WIDTH) return line;
    return `[\n${value.map((item) => `${deeper}${print(item, deeper, deeper.length)}`).join(",\n")}\n${indent}]`;
  }
  if (!isSchema(value) || Object.keys(value).length === 0) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => {
    const head = `${deeper}${JSON.stringify(key)}: `;
    return `${head}${print(each, deeper, head.length)}`;
  });
  return `{\n${entries.join(",\n")}\n${indent}}`;
}

/** Undefined for a list that contains a map. */
function oneLine(value: unknown): string | undefined {
  if (isSchema(value)) return undefined;
  if (!Array.isArray(value)) return JSON.stringify(value);
  const items = value.map(oneLine);
  return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
}

/** Like the exporter, accepts `${NAME}`. Also accepts a file without servers. */
export function editorSchema(): JsonSchema {
  const { required: _, ...schema } = withReferences(settingsJsonSchema());
  return schema;
}

/** For files of `servers_from`. */
export function serversSchemaFile(): string {
  const { $schema, properties } = editorSchema();
  const list = properties?.servers;
  if (!isSchema(list) || !isSchema(list.items)) throw new TypeError("the schema has no list of servers");
  const title = "A file of servers of prtg-exporter";
  return printJson({ $schema, title, anyOf: [list.items, { type: "array", items: list.items }] });
}

const REFERENCE = { type: "string", pattern: "\\$\\{" } as const;
/** Editors look for them next to `anyOf`. */
const ANNOTATIONS = new Set(["title", "description", "default", "examples"]);

function withReferences(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, additionalProperties } = schema;
  if (properties !== undefined) {
    const entries = Object.entries(properties).map(([key, value]) => [
      key,
      isSchema(value) ? withReferences(value) : value,
    ]);
    return { ...schema, properties: Object.fromEntries(entries) };
  }
  if (isSchema(items)) return { ...schema, items: withReferences(items) };
  if (isSchema(additionalProperties)) return { ...schema, additionalProperties: withReferences(additionalProperties) };
  if (anyOf !== undefined) {
    const choices = anyOf.map((choice) =>
      isSchema(choice) && choice.type === "array" ? withReferences(choice) : choice,
    );
    return { ...schema, anyOf: [...choices, REFERENCE] };
  }
  if (schema.type === "string" && schema.enum === undefined && patternsOf(schema).every(takesReference)) return schema;
  const entries = Object.entries(schema);
  const annotations = Object.fromEntries(entries.filter(([key]) => ANNOTATIONS.has(key)));
  const checks = Object.fromEntries(entries.filter(([key]) => !ANNOTATIONS.has(key)));
  return { ...annotations, anyOf: [checks, REFERENCE] };
}

function patternsOf({ pattern = "", allOf = [] }: JsonSchema): readonly string[] {
  return [pattern, ...allOf.flatMap((part) => (isSchema(part) ? (part.pattern ?? []) : []))];
}

function takesReference(pattern: string): boolean {
  return new RegExp(pattern).test("${NAME}");
}
