import { DECODE_PROBLEMS, type DecodeProblem } from "../../telemetry/metric-declarations.ts";
import { MAX_ID_LENGTH, MAX_NUMERAL_LENGTH, MAX_WORD_LENGTH } from "../answer-bounds.ts";
import { parseStatus, type StatusToken } from "../status.ts";

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

/** RFC 3339; without an offset it is UTC, as the specification says of all timestamps. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/i;

/** As servers send it: nothing has to be put right, which takes half of the time. */
const USUAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

/** Milliseconds since the epoch; undefined when the text is no timestamp. */
export function parseTimestamp(text: string): number | undefined {
  if (USUAL.test(text)) {
    const usual = Date.parse(text);
    return Number.isNaN(usual) ? undefined : usual;
  }
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  const [, date, time, fraction = "", zone = "Z"] = parts;
  const ms = Date.parse(`${date}T${time}${fraction.slice(0, 4)}${zone.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The channels of a sensor come one after the other and share their timestamp: parsed once. */
let lastText = "";
let lastMs: number | undefined;

/** A timestamp of a record. Times before 1970 are zero values (`0001-01-01T00:00:00Z`): nothing has happened yet. */
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

/** Spellings met so far: a handful in practice, bounded against a server that sends nonsense. */
const knownSpellings = new Map<string, StatusToken | undefined>();
const MAX_SPELLINGS = 256;

/** `parseStatus`, quick for the spellings that come again and again. */
export function statusToken(spelling: string): StatusToken | undefined {
  if (spelling.length > MAX_WORD_LENGTH) return undefined;
  const token = knownSpellings.get(spelling);
  if (token !== undefined || knownSpellings.has(spelling)) return token;
  const parsed = parseStatus(spelling);
  if (knownSpellings.size < MAX_SPELLINGS) knownSpellings.set(spelling, parsed);
  return parsed;
}

/** The status of a record; one that is missing or not known counts as a problem and becomes `unknown`. */
export function readStatus(value: unknown, problems: DecodeProblems): StatusToken {
  const token = typeof value === "string" ? statusToken(value) : undefined;
  if (token !== undefined) return token;
  problems.status++;
  return "unknown";
}

const MAX_SHARED_TEXTS = 4_096;
/** Longer texts are rarely the same. */
const MAX_SHARED_LENGTH = 64;
const sharedTexts = new Map<string, string>();

/**
 * One copy of equal texts. Parsed JSON has a copy of `Traffic In` for each channel of that name, which would be half of the memory
 * of a channel. Forgets all texts if there are too many.
 */
export function sharedText(text: string): string {
  if (text.length > MAX_SHARED_LENGTH) return text;
  const known = sharedTexts.get(text);
  if (known !== undefined) return known;
  if (sharedTexts.size >= MAX_SHARED_TEXTS) sharedTexts.clear();
  sharedTexts.set(text, text);
  return text;
}

/** How often each problem was met. Decoders count up in place: they run some hundred thousand times a minute. */
export type DecodeProblems = Record<DecodeProblem, number>;

export function noProblems(): DecodeProblems {
  return { record: 0, status: 0, value: 0, timestamp: 0, summary: 0, lookup: 0, text: 0, secret: 0, duplicate: 0 };
}

export function addProblems(sum: DecodeProblems, problems: DecodeProblems): void {
  for (const problem of DECODE_PROBLEMS) sum[problem] += problems[problem];
}

/** Reports each kind that was met. */
export function reportProblems(
  problems: DecodeProblems,
  counter: { decodeProblem(problem: DecodeProblem, count: number): void },
): void {
  for (const problem of DECODE_PROBLEMS) {
    if (problems[problem] > 0) counter.decodeProblem(problem, problems[problem]);
  }
}
