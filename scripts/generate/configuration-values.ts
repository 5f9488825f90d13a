import { CORE_SCHEMA, dump } from "js-yaml";
import type { JsonSchema } from "../../src/config/schema.ts";
import { code } from "./markdown.ts";

/** The schema's title or its constraints. */
export function typeOf(value: JsonSchema): string {
  const { anyOf, enum: options, type } = value;
  if (options !== undefined) return options.map((option) => code(yaml(option))).join(" or ");
  if (value.const !== undefined) return code(yaml(value.const));
  if (value.title !== undefined) return value.title;
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...value, type: each })).join(", or ");
  if (anyOf !== undefined) return anyOf.filter(isSchema).map(typeOf).join(", or ");
  const items = itemsOf(value);
  if (items !== undefined) return `list of ${severalOf(items)}`;
  if (type === "object") return mapType(value);
  if (type === "boolean") return "`true` or `false`";
  if (type === "string") return "text";
  const range = value.minimum === undefined ? "" : `, ${value.minimum} to ${value.maximum}`;
  return `${type === "integer" ? "whole number" : type}${range}`;
}

function mapType({ propertyNames, additionalProperties }: JsonSchema): string {
  if (!isSchema(additionalProperties)) return "map";
  const values = severalOf(additionalProperties);
  const keys = isSchema(propertyNames) ? propertyNames.enum : undefined;
  return keys === undefined
    ? `map of ${values}`
    : `map from ${typeOf({ enum: keys })} to ${typeOf(additionalProperties)}`;
}

function severalOf(value: JsonSchema): string {
  const type = typeOf(value);
  return /^[\w ]+$/.test(type) ? `${type}s` : type;
}

/** One line, as in the file. */
export function yaml(value: unknown): string {
  const style = { flowLevel: 0, flowBracketPadding: true, quoteStyle: "double", lineWidth: -1 } as const;
  return dump(value, { ...style, schema: CORE_SCHEMA })
    .trimEnd()
    .replace(/^\[ (.*) \]$/, "[$1]");
}

export function propertiesOf(schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(schema?.properties ?? {}).flatMap(([key, value]) => (isSchema(value) ? [[key, value]] : [])),
  );
}

export function itemsOf(schema: JsonSchema | undefined): JsonSchema | undefined {
  return isSchema(schema?.items) ? schema.items : undefined;
}

/** The map of the value or of the list items. */
export function mapBelow(value: JsonSchema): JsonSchema | undefined {
  if (value.properties !== undefined) return value;
  const items = itemsOf(value);
  return items?.properties === undefined ? undefined : items;
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
