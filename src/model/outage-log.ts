import { type Outage, type OutageProblem, outageAbove, outageKey } from "./outages.ts";
import type { TreeNode } from "./tree.ts";

/** Changes this close to the begin or the end of an outage belong to it. Sensors have different scanning intervals. */
export const AROUND_MS = 5 * 60_000;
const MAX_OUTAGES = 500;

/** An outage in the last hours. Times are milliseconds since the epoch. */
export interface LoggedOutage {
  readonly problem: OutageProblem;
  readonly object: Pick<TreeNode, "id" | "kind" | "name" | "path" | "parentId">;
  /** Changes of its sensors since then belong to it: its first ones, not those of sensors that were down long before. */
  readonly from: number;
  /** End of the poll that found it. `undefined` if its begin is no news: found by the first poll, or the rest of a larger one. */
  readonly foundAt: number | undefined;
  /** The most in the first minutes. */
  readonly affected: number;
  /** Sensors below the object at that time. */
  readonly sensors: number;
  /** `undefined` while it lasts. */
  readonly endedAt: number | undefined;
  /** The last poll that had it, if its end is news. Else it continues as a larger outage or another problem. */
  readonly lastSeenAt: number | undefined;
}

type Entry = { -readonly [Name in keyof LoggedOutage]: LoggedOutage[Name] };

/** Begins and ends of the outages of one server, in memory. Polls without outages cost nothing. */
export class OutageLog {
  readonly #open = new Map<string, Entry>();
  #entries: Entry[] = [];
  /** Time of the poll before. */
  #polledAt: number | undefined;

  get all(): readonly LoggedOutage[] {
    return this.#entries;
  }

  /** @param found The outages after a poll, by `outageKey`. */
  update(found: ReadonlyMap<string, Outage>, nodes: ReadonlyMap<string, TreeNode>, now: number): void {
    const isFirst = this.#polledAt === undefined;
    if (found.size > 0 || this.#open.size > 0) this.#compare(found, nodes, now, isFirst);
    this.#polledAt = now;
  }

  /** Forgets outages that ended before. */
  expire(before: number): void {
    if (this.#entries.some((entry) => isOver(entry, before))) {
      this.#entries = this.#entries.filter((entry) => !isOver(entry, before));
    }
  }

  #compare(
    found: ReadonlyMap<string, Outage>,
    nodes: ReadonlyMap<string, TreeNode>,
    now: number,
    isFirst: boolean,
  ): void {
    const ended = new Map([...this.#open].filter(([key]) => !found.has(key)));
    const begun: Entry[] = [];
    for (const [key, outage] of found) {
      const open = this.#open.get(key);
      if (open !== undefined) {
        grow(open, outage, now);
        continue;
      }
      const isRest = outageAbove(nodes, nodes.get(outage.node.parentId), outage.problem, ended) !== undefined;
      const entry = begin(outage, now, isFirst || isRest ? undefined : (this.#polledAt ?? now));
      begun.push(entry);
      this.#open.set(key, entry);
    }
    for (const [key, entry] of ended) {
      this.#open.delete(key);
      this.#end(entry, found, nodes, now);
    }
    this.#entries.push(...begun);
    if (this.#entries.length > MAX_OUTAGES) this.#entries = this.#entries.slice(-0.9 * MAX_OUTAGES);
  }

  #end(entry: Entry, found: ReadonlyMap<string, Outage>, nodes: ReadonlyMap<string, TreeNode>, now: number): void {
    const { problem, object, foundAt, from } = entry;
    entry.endedAt = now;
    const node = nodes.get(object.id);
    const other = problem === "down" ? "unknown" : "down";
    const larger = outageAbove(nodes, node, problem, found);
    const continues = larger !== undefined || outageAbove(nodes, node, other, found) !== undefined;
    // The log says that an object was removed.
    if (node !== undefined && !continues) entry.lastSeenAt = this.#polledAt ?? now;
    // A site goes down device by device. These begins are the begin of the site's outage.
    if (larger === undefined || foundAt === undefined || foundAt < now - AROUND_MS) return;
    const open = this.#open.get(outageKey(problem, larger.node.id));
    if (open?.foundAt === undefined) return;
    this.#entries = this.#entries.filter((each) => each !== entry);
    open.from = Math.min(open.from, from);
  }
}

/** @param polledAt Time of the poll before, if the begin is news. */
function begin({ node, problem, below, since = 0 }: Outage, now: number, polledAt: number | undefined): Entry {
  const { id, kind, name, path, parentId } = node;
  return {
    problem,
    object: { id, kind, name, path, parentId },
    from: Math.min(now, polledAt === undefined ? since : Math.max(since, polledAt - AROUND_MS)),
    foundAt: polledAt === undefined ? undefined : now,
    affected: below[problem],
    sensors: below.sensors,
    endedAt: undefined,
    lastSeenAt: undefined,
  };
}

function grow(entry: Entry, { problem, below }: Outage, now: number): void {
  if (entry.foundAt === undefined || now > entry.foundAt + AROUND_MS || below[problem] <= entry.affected) return;
  entry.affected = below[problem];
  entry.sensors = below.sensors;
}

function isOver({ endedAt }: Entry, before: number): boolean {
  return endedAt !== undefined && endedAt < before;
}
