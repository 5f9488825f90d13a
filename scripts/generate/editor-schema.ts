import { type JsonSchema, settingsJsonSchema } from "../../src/config/schema.ts";

/** config/prtg-exporter.schema.json, as the formatter of this repository would write it. */
export function editorSchemaFile(): string {
  const text = JSON.stringify(editorSchema(), undefined, 2);
  const short = text.replaceAll(
    /\[\n\s+("[^[\]{}]*")\n\s+\]/g,
    (_, items: string) => `[${items.replaceAll(/\n\s+/g, " ")}]`,
  );
  return `${short}\n`;
}

/**
 * The JSON Schema that editors check a file against while it is written. It accepts `${NAME}` wherever the exporter
 * does, and a file without servers, because the environment may describe the one server.
 */
export function editorSchema(): JsonSchema {
  const { required: _, ...schema } = withReferences(settingsJsonSchema());
  return schema;
}

const REFERENCE = { type: "string", pattern: "\\$\\{" } as const;
/** What describes a value and does not check it; stays beside `anyOf`, where editors look for it. */
const ANNOTATIONS = new Set(["title", "description", "default", "examples"]);

function withReferences(schema: JsonSchema): JsonSchema {
  const { properties, items } = schema;
  if (properties !== undefined) {
    const entries = Object.entries(properties).map(([key, value]) => [
      key,
      isSchema(value) ? withReferences(value) : value,
    ]);
    return { ...schema, properties: Object.fromEntries(entries) };
  }
  if (isSchema(items)) return { ...schema, items: withReferences(items) };
  if (schema.type === "string" && schema.enum === undefined && new RegExp(schema.pattern ?? "").test("${NAME}")) {
    return schema;
  }
  const entries = Object.entries(schema);
  const annotations = Object.fromEntries(entries.filter(([key]) => ANNOTATIONS.has(key)));
  const checks = Object.fromEntries(entries.filter(([key]) => !ANNOTATIONS.has(key)));
  return { ...annotations, anyOf: [checks, REFERENCE] };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
