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

export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const plain = simplify(word);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(plain.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(plain, simplify(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `caFile`, `ca-file` and `ca_file` are the same typing error. */
function simplify(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, "");
}

/** Optimal string alignment distance. Stops at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? limit;
}
