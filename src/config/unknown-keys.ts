import { nearest } from "../lib/nearest-word.ts";
import type { ConfigProblem } from "./config-error.ts";
import { formatKey, type KeyPath, type Origin } from "./origin.ts";
import type { JsonSchema } from "./schema.ts";

/** Suggests a similar key. @param jsonSchema Schema of the whole file, generated for the first unknown key. */
export function unknownKey(parent: KeyPath, key: string, origin: Origin, jsonSchema: () => JsonSchema): ConfigProblem {
  const path = [...parent, key];
  const place = origin.place(path, "key");
  if (parent.includes("auth") && !/^[A-Za-z_-]+$/.test(key)) {
    // For example `auth: { <the API key> }`.
    return { code: "CONFIG_INVALID", ...place, key: formatKey(parent), text: "unknown key (not shown)" };
  }
  return { code: "CONFIG_INVALID", ...place, text: `unknown key${suggestion(key, parent, jsonSchema)}` };
}

function suggestion(key: string, parent: KeyPath, jsonSchema: () => JsonSchema): string {
  const known = propertiesAt(parent, jsonSchema);
  const names = Object.keys(known);
  const meant = nearest(key, names) ?? names.find((name) => Object.hasOwn(propertiesOf(known[name]), key));
  if (meant === undefined) return `. Known keys: ${names.join(", ")}`;
  const isBelow = Object.hasOwn(propertiesOf(known[meant]), key);
  return `, did you mean \`${isBelow ? `${meant}.${key}` : meant}\`?`;
}

function propertiesAt(path: KeyPath, jsonSchema: () => JsonSchema): Readonly<Record<string, unknown>> {
  let schema: unknown = jsonSchema();
  for (const key of path) schema = typeof key === "number" ? itemsOf(schema) : propertiesOf(schema)[String(key)];
  return propertiesOf(schema);
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  return isSchema(schema) ? (schema.properties ?? {}) : {};
}

function itemsOf(schema: unknown): unknown {
  return isSchema(schema) ? schema.items : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
