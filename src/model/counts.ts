import type { NodeKind } from "../prtg/node-record.ts";
import type { StatusSummary } from "../prtg/records.ts";
import { STATUS_TOKENS, type StatusToken, statusCode } from "../prtg/status.ts";
import { Rows } from "./rows.ts";

export interface Count {
  readonly row: number;
  readonly name: string;
  readonly count: number;
  readonly expiresAt: number;
}

export class Counts {
  readonly #rows = new Rows();
  readonly #counts = new Map<string, Count>();

  [Symbol.iterator](): Iterator<Count> {
    return this.#counts.values();
  }

  set(name: string, count: number, expiresAt: number): Count {
    const row = this.#counts.get(name)?.row ?? this.#rows.take();
    const entry = { row, name, count, expiresAt };
    this.#counts.set(name, entry);
    return entry;
  }

  /** The next `set` may use their rows. */
  retain(isKept: (name: string) => boolean): readonly Count[] {
    const removed = [...this.#counts.values()].filter(({ name }) => !isKept(name));
    for (const { name, row } of removed) {
      this.#counts.delete(name);
      this.#rows.release(row);
    }
    return removed;
  }
}

export interface StatusCounts {
  /** All tokens, or only those of the summary if the sensors are unknown. */
  readonly counts: ReadonlyMap<StatusToken, number>;
  /** Whether the counts equal the total of the summary. */
  readonly consistent: boolean;
}

/** Counts of the summary. `statuses` of all sensors fill the gaps. */
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

/** Probes, groups and devices per own status. */
export type ParentsByStatus = Readonly<Record<Exclude<NodeKind, "sensor">, ReadonlyMap<StatusToken, number>>>;

/** Objects per status, updated with each change. */
export class StatusTally {
  readonly #counts = new Uint32Array(STATUS_TOKENS.length);

  /** `undefined` counts as `unknown`. */
  add(status: StatusToken | undefined): void {
    this.#change(status, 1);
  }

  remove(status: StatusToken | undefined): void {
    this.#change(status, -1);
  }

  move(before: StatusToken | undefined, after: StatusToken | undefined): void {
    this.remove(before);
    this.add(after);
  }

  counts(): ReadonlyMap<StatusToken, number> {
    const counts = new Map<StatusToken, number>();
    for (const [code, token] of STATUS_TOKENS.entries()) {
      const count = this.#counts[code] ?? 0;
      if (count > 0) counts.set(token, count);
    }
    return counts;
  }

  #change(status: StatusToken | undefined, by: number): void {
    const code = statusCode(status ?? "unknown");
    this.#counts[code] = (this.#counts[code] ?? 0) + by;
  }
}
