import { MAX_WORD_LENGTH } from "../answer-bounds.ts";
import { isAbsent } from "./primitives.ts";
import type { DecodeProblems } from "./problems.ts";

/** RFC 3339; without an offset it is UTC, as the specification says of all timestamps. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/i;

/** Milliseconds since the epoch; undefined when the text is no timestamp. */
export function parseTimestamp(text: string): number | undefined {
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
