import { MAX_WORD_LENGTH } from "../answer-bounds.ts";
import { shownNumber } from "./displayed.ts";
import type { DecodeProblems } from "./problems.ts";
import { isAbsent } from "./values.ts";

/** How servers write the unit of an interval. */
const SECOND_UNITS = ["seconds", "second", "secs", "sec", "s"] as const;

/** A scanning interval in seconds: `60`, `60 s`, `60|60 seconds`. Zero, negative and unreadable ones are left out, and counted. */
export function readIntervalSeconds(value: unknown, problems: DecodeProblems): number | undefined {
  if (isAbsent(value) || value === "") return undefined;
  // Choices may come as `value|text`.
  const shown = typeof value === "string" ? value.slice(0, MAX_WORD_LENGTH).split("|", 1)[0]?.toLowerCase() : value;
  const seconds = shownNumber(shown, ...SECOND_UNITS);
  if (seconds !== undefined && seconds > 0) return seconds;
  problems.value++;
  return undefined;
}
