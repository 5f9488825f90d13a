import { MAX_WORD_LENGTH } from "../answer-bounds.ts";
import { parseStatus, type StatusToken } from "../status.ts";
import type { DecodeProblems } from "./problems.ts";

/** Spellings met so far: a handful in practice, bounded against a server that sends nonsense. */
const known = new Map<string, StatusToken | undefined>();
const MAX_SPELLINGS = 256;

/** `parseStatus`, quick for the spellings that come again and again. */
export function statusToken(spelling: string): StatusToken | undefined {
  if (spelling.length > MAX_WORD_LENGTH) return undefined;
  const token = known.get(spelling);
  if (token !== undefined || known.has(spelling)) return token;
  const parsed = parseStatus(spelling);
  if (known.size < MAX_SPELLINGS) known.set(spelling, parsed);
  return parsed;
}

/** The status of a record; one that is missing or not known counts as a problem and becomes `unknown`. */
export function readStatus(value: unknown, problems: DecodeProblems): StatusToken {
  const token = typeof value === "string" ? statusToken(value) : undefined;
  if (token !== undefined) return token;
  problems.status++;
  return "unknown";
}
