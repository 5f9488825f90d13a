import { MAX_ID_LENGTH, MAX_NUMERAL_LENGTH, MAX_WORD_LENGTH } from "../answer-bounds.ts";
import { DECODE_PROBLEMS, type DecodeProblem } from "../decode-problems.ts";
import { parseStatus, type StatusToken } from "../status.ts";

export interface JsonObject {
  readonly [member: string]: unknown;
}

/** Members that a decoder reads. `true`: with everything in them. */
export interface Members {
  readonly [name: string]: Members | true;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function text(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : undefined;
}

/** Ids should be strings, but numbers are accepted. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" || value.length > MAX_ID_LENGTH ? undefined : value;
  return typeof value === "number" ? String(value) : undefined;
}

const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** A number or a decimal numeral. `undefined` for `1,5`, `NaN` or "". */
export function finiteNumber(value: unknown): number | undefined {
  // The pattern takes quadratic time.
  if (typeof value === "string" && (value.length > MAX_NUMERAL_LENGTH || !DECIMAL.test(value))) return undefined;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** "Nothing here", as opposed to unreadable. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

const TRUE: readonly unknown[] = [true, 1, "1", "true"];
const FALSE: readonly unknown[] = [false, 0, "0", "false"];

/** Section values are often strings: `"1"` is true. */
export function booleanOf(value: unknown): boolean | undefined {
  const plain = typeof value === "string" ? value.toLowerCase() : value;
  if (TRUE.includes(plain)) return true;
  return FALSE.includes(plain) ? false : undefined;
}

/** RFC 3339. Without an offset it is UTC, as the specification says. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/i;

/** Each sensor has one. */
const USUAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

/** Milliseconds since the epoch. */
export function parseTimestamp(text: string): number | undefined {
  if (USUAL.test(text)) return validMs(Date.parse(text));
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  const [, date, time, fraction = "", zone = "Z"] = parts;
  return validMs(Date.parse(`${date}T${time}${fraction.slice(0, 4)}${zone.toUpperCase()}`));
}

function validMs(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms;
}

/** Channels of a sensor share their timestamp. */
let lastText = "";
let lastMs: number | undefined;

/** Times before 1970 are zero values (`0001-01-01T00:00:00Z`). */
export function readTimestamp(value: unknown, problems: DecodeProblems): number | undefined {
  if (isAbsent(value) || value === "") return undefined;
  if (typeof value !== "string" || value.length > MAX_WORD_LENGTH) {
    problems.timestamp++;
    return undefined;
  }
  if (value !== lastText) {
    lastMs = parseTimestamp(value);
    lastText = value;
  }
  if (lastMs === undefined) problems.timestamp++;
  return lastMs === undefined || lastMs <= 0 ? undefined : lastMs;
}

export function statusToken(spelling: string): StatusToken | undefined {
  return spelling.length > MAX_WORD_LENGTH ? undefined : parseStatus(spelling);
}

/** A missing or unknown status is counted, and becomes `unknown`. */
export function readStatus(value: unknown, problems: DecodeProblems): StatusToken {
  const token = typeof value === "string" ? statusToken(value) : undefined;
  if (token !== undefined) return token;
  problems.status++;
  return "unknown";
}

const MAX_SHARED_TEXTS = 4_096;
/** `JSON.parse` has one copy of texts up to 10 characters itself. Longer texts than 64 are rarely equal. */
const SHARED_LENGTHS = { min: 11, max: 64 };
const sharedTexts = new Map<string, string>();

/** One copy of equal texts. Parsed JSON has a copy of `Traffic In` per channel, which would be half of a channel's memory. */
export function sharedText(text: string): string {
  if (text.length < SHARED_LENGTHS.min || text.length > SHARED_LENGTHS.max) return text;
  const known = sharedTexts.get(text);
  if (known !== undefined) return known;
  if (sharedTexts.size >= MAX_SHARED_TEXTS) sharedTexts.clear();
  sharedTexts.set(text, text);
  return text;
}

/** Counts per problem. Decoders increment them in place. */
export type DecodeProblems = Record<DecodeProblem, number>;

export function noProblems(): DecodeProblems {
  return { record: 0, status: 0, value: 0, timestamp: 0, summary: 0, lookup: 0, text: 0, secret: 0, duplicate: 0 };
}

export function addProblems(sum: DecodeProblems, problems: DecodeProblems): void {
  for (const problem of DECODE_PROBLEMS) sum[problem] += problems[problem];
}

export function reportProblems(
  problems: DecodeProblems,
  counter: { decodeProblem(problem: DecodeProblem, count: number): void },
): void {
  for (const problem of DECODE_PROBLEMS) {
    if (problems[problem] > 0) counter.decodeProblem(problem, problems[problem]);
  }
}
