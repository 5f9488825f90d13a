import { MAX_ID_LENGTH, MAX_NUMERAL_LENGTH } from "../answer-bounds.ts";

/** An object of parsed JSON: any member may be there, of any type. */
export interface JsonObject {
  readonly [member: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string, or a number as text; undefined for everything else. */
export function text(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : undefined;
}

/** The specification says that ids are strings; numbers are taken too. Undefined when empty, too long or of another type. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" || value.length > MAX_ID_LENGTH ? undefined : value;
  return typeof value === "number" ? String(value) : undefined;
}

const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** A finite number, given as one or as a decimal numeral; undefined for everything else, such as `1,5`, `NaN` or "". */
export function finiteNumber(value: unknown): number | undefined {
  // The pattern takes time by the square of the length.
  if (typeof value === "string" && (value.length > MAX_NUMERAL_LENGTH || !DECIMAL.test(value))) return undefined;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Null and absent members say "nothing here", as opposed to something that cannot be read. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

const TRUE: readonly unknown[] = [true, 1, "1", "true"];
const FALSE: readonly unknown[] = [false, 0, "0", "false"];

/** Section values are often strings: `"1"` is true. Undefined for everything that is no boolean in any spelling. */
export function booleanOf(value: unknown): boolean | undefined {
  const plain = typeof value === "string" ? value.toLowerCase() : value;
  if (TRUE.includes(plain)) return true;
  return FALSE.includes(plain) ? false : undefined;
}
