import type { StatusSummary } from "../prtg/records.ts";
import { STATUS_TOKENS, type StatusToken } from "../prtg/status.ts";
import { Rows } from "./rows.ts";

/** A number that the server counts itself, or that is counted from its lists. */
export interface Count {
  /** Unique among the counts of the server. */
  readonly row: number;
  /** Status, or kind of object. */
  readonly name: string;
  readonly count: number;
  /** Monotonic ms. */
  readonly until: number;
}

/** Counts by name, in the order in which they came first. */
export class Counts {
  readonly #rows = new Rows();
  readonly #counts = new Map<string, Count>();

  [Symbol.iterator](): Iterator<Count> {
    return this.#counts.values();
  }

  set(name: string, count: number, until: number): Count {
    const row = this.#counts.get(name)?.row ?? this.#rows.take();
    const told = { row, name, count, until };
    this.#counts.set(name, told);
    return told;
  }

  /** Forgets those whose name `isKept` refuses, and returns them. Their rows may be others' from the next `set` on. */
  retain(isKept: (name: string) => boolean): readonly Count[] {
    const gone = [...this.#counts.values()].filter(({ name }) => !isKept(name));
    for (const { name, row } of gone) {
      this.#counts.delete(name);
      this.#rows.release(row);
    }
    return gone;
  }
}

export interface StatusCounts {
  /** All tokens; without those the server's summary lacks when the sensors are not known either. */
  readonly counts: ReadonlyMap<StatusToken, number>;
  /** False when the counts do not add up to the summary's own total. */
  readonly consistent: boolean;
}

/**
 * Sensors per status: what the summary says, and for the tokens that it lacks, or without a summary, what `statuses`
 * (of all sensors) adds up to.
 */
export function countStatuses(
  summary: StatusSummary | undefined,
  statuses: Iterable<StatusToken> | undefined,
): StatusCounts {
  const counted = statuses === undefined ? undefined : tally(statuses);
  const counts = new Map<StatusToken, number>();
  let sum = 0;
  for (const token of STATUS_TOKENS) {
    const count = summary?.counts.get(token) ?? (counted === undefined ? undefined : (counted.get(token) ?? 0));
    if (count === undefined) continue;
    counts.set(token, count);
    sum += count;
  }
  return { counts, consistent: summary?.total === undefined || summary.total === sum };
}

function tally(statuses: Iterable<StatusToken>): ReadonlyMap<StatusToken, number> {
  const counts = new Map<StatusToken, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}
