import { MAX_WORD_LENGTH } from "../answer-bounds.ts";
import { isAbsent } from "./primitives.ts";
import type { DecodeProblems } from "./problems.ts";

/** `60`, `60.0`, `60 s`, `60|60 seconds`. */
const SECONDS = /^\s*(\d+(?:\.\d+)?)\s*(?:s|sec|secs|seconds?)?\s*(?:\|.*)?$/i;

/** A scanning interval in seconds. Zero, negative and unreadable ones are left out, and counted. */
export function readIntervalSeconds(value: unknown, problems: DecodeProblems): number | undefined {
  if (isAbsent(value) || value === "") return undefined;
  // Of a text that is too long the pattern would take for ever.
  const seconds = typeof value === "string" ? Number(SECONDS.exec(value.slice(0, MAX_WORD_LENGTH))?.[1]) : value;
  if (typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0) return seconds;
  problems.value++;
  return undefined;
}
