import pLimit from "p-limit";
import { SharedLane, type Steps } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import { retire } from "./ended-series.ts";
import { LeftSeries } from "./left-series.ts";
import { SeriesTable } from "./series-table.ts";

/** Series that were pushed and are gone, kept until the receiver knows: some 100 bytes each. */
const MAX_LEFT_SERIES = 200_000;

const AT_ONE_GO: Steps = { step: () => undefined };

/** Where series are put: the store's tables, or those that are to become them. */
export interface Tables {
  /** @throws RangeError when the family is not in the metric table. */
  table(family: MetricFamily): SeriesTable;
}

/**
 * The current samples of all servers. Writers change it inside `commit`, readers walk it inside `read`; the two take
 * turns, so that a page never shows half a poll.
 */
export class Store implements Tables {
  #tables: ReadonlyMap<string, SeriesTable>;
  readonly #listeners = new Set<() => void>();
  readonly #oneAtATime = pLimit(1);
  #retired: readonly SeriesTable[] = [];
  /** What tables that were replaced have added to the version: it must not come back to a number that readers know. */
  #retiredVersions = 0;
  /** Of long work inside `commit` and `read`: all others wait for it, and sometimes the reader of a page does. */
  readonly lane = new SharedLane();
  /** What is kept of series that were pushed, until the receiver knows that they have ended. */
  readonly left = new LeftSeries(MAX_LEFT_SERIES);

  constructor(families: Iterable<MetricFamily>) {
    this.#tables = this.#createTables(families);
  }

  /** Tables in the order of the metric table. */
  get tables(): Iterable<SeriesTable> {
    return this.#tables.values();
  }

  /** Tables of nothing but series that were pushed and have ended, when tables were replaced; none of them is shown. */
  get retired(): Iterable<SeriesTable> {
    return this.#retired;
  }

  /** @throws RangeError when the family is not in the metric table. */
  table(family: MetricFamily): SeriesTable {
    return tableOf(this.#tables, family);
  }

  /** Undefined when the family is not in the metric table. */
  tableByName(name: string): SeriesTable | undefined {
    return this.#tables.get(name);
  }

  /** Rises with each change that a reader could see. */
  get version(): number {
    let version = this.#retiredVersions;
    for (const table of this.#tables.values()) version += table.version;
    return version;
  }

  /** True when something may expire by `now` (monotonic ms). */
  expiresBy(now: number): boolean {
    return this.#tables.values().some((table) => table.nextExpiry <= now);
  }

  /** Withdraws what has expired by `now` (monotonic ms). */
  expire(now: number): void {
    for (const table of this.#tables.values()) table.expire(now);
  }

  /** Nothing is pushed any more, so that no receiver has to be told of an end. */
  forgetPushed(): void {
    for (const table of [...this.#tables.values(), ...this.#retired]) table.forgetPushed();
    this.#retired = [];
  }

  /** Runs `change` while no other reader or writer is active, then tells the listeners. */
  async commit<Result>(change: () => Result | Promise<Result>): Promise<Result> {
    const result = await this.#oneAtATime(change);
    for (const listener of this.#listeners) listener();
    return result;
  }

  /**
   * Puts other families in place of all there are, while no other reader or writer is active. `fill` gets their empty
   * tables and copies into them what is to stay; until it is done, and for good when it rejects, the tables are those from before.
   * It resolves with what is to be done in the same turn, when the tables have changed.
   */
  reshape(
    families: Iterable<MetricFamily>,
    fill: (tables: Tables) => Promise<() => void>,
    slices: Steps = AT_ONE_GO,
  ): Promise<void> {
    return this.commit(async () => {
      const next = this.#createTables(families);
      const changed = await fill({ table: (family) => tableOf(next, family) });
      this.#retired = await this.#retire(next, slices);
      this.#retiredVersions = this.version + 1;
      this.#tables = next;
      changed();
    });
  }

  /** Runs `look` while there is no writer; it may take several turns of the event loop. */
  read<Result>(look: () => Result | Promise<Result>): Promise<Result> {
    return this.#oneAtATime(look);
  }

  /** Calls `listener` after each commit; returns the way to stop it. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What was pushed and the next tables do not have. */
  async #retire(next: ReadonlyMap<string, SeriesTable>, slices: Steps): Promise<readonly SeriesTable[]> {
    const retired: SeriesTable[] = [];
    for (const table of [...this.#tables.values(), ...this.#retired]) {
      const kept = new SeriesTable(table.family, this.left);
      await retire(table, next.get(table.family.name), kept, slices);
      retired.push(kept);
    }
    return retired.filter(({ left }) => left > 0);
  }

  #createTables(families: Iterable<MetricFamily>): ReadonlyMap<string, SeriesTable> {
    return new Map([...families].map((family) => [family.name, new SeriesTable(family, this.left)]));
  }
}

function tableOf(tables: ReadonlyMap<string, SeriesTable>, family: MetricFamily): SeriesTable {
  const table = tables.get(family.name);
  if (table === undefined) throw new RangeError(`no family ${family.name} in the metric table`);
  return table;
}
