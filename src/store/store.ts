import pLimit from "p-limit";
import { SharedLane, type Steps } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import { retire } from "./ended-series.ts";
import { EndedSeries, SeriesTable } from "./series-table.ts";

/** Some 100 bytes each. */
const MAX_ENDED_SERIES = 200_000;

const AT_ONE_GO: Steps = { step: () => undefined };

export interface Tables {
  table(family: MetricFamily): SeriesTable;
}

/**
 * The current samples of all servers. Writers use `commit` and readers `read`, which take turns, so a page never
 * shows half a poll.
 */
export class Store implements Tables {
  #tables: ReadonlyMap<string, SeriesTable>;
  readonly #listeners = new Set<() => void>();
  readonly #oneAtATime = pLimit(1);
  #retired: readonly SeriesTable[] = [];
  /** Version increments of replaced tables: a version must not repeat. */
  #retiredVersions = 0;
  /** Shared by long work in `commit` and `read`. */
  readonly lane = new SharedLane();
  readonly endedSeries: EndedSeries;

  /** @param maxEnded Pushed series that wait for their staleness markers. */
  constructor(families: Iterable<MetricFamily>, maxEnded = MAX_ENDED_SERIES) {
    this.endedSeries = new EndedSeries(maxEnded);
    this.#tables = this.#createTables(families);
  }

  get tables(): Iterable<SeriesTable> {
    return this.#tables.values();
  }

  /** Replaced tables with series that wait for staleness markers. */
  get retired(): Iterable<SeriesTable> {
    return this.#retired;
  }

  /** @throws RangeError for a family that is not in the metric table */
  table(family: MetricFamily): SeriesTable {
    return tableOf(this.#tables, family);
  }

  tableByName(name: string): SeriesTable | undefined {
    return this.#tables.get(name);
  }

  /** Increases with each visible change. */
  get version(): number {
    let version = this.#retiredVersions;
    for (const table of this.#tables.values()) version += table.version;
    return version;
  }

  /** `now`: monotonic ms. */
  expiresBy(now: number): boolean {
    return this.#tables.values().some((table) => table.nextExpiry <= now);
  }

  /** `now`: monotonic ms. */
  expire(now: number): void {
    for (const table of this.#tables.values()) table.expire(now);
  }

  /** Pushing stopped. */
  forgetPushed(): void {
    for (const table of [...this.#tables.values(), ...this.#retired]) table.forgetPushed();
    this.#retired = [];
  }

  async commit<Result>(change: () => Result | Promise<Result>): Promise<Result> {
    const result = await this.#oneAtATime(change);
    for (const listener of this.#listeners) listener();
    return result;
  }

  /**
   * Replaces all families. `fill` copies series into the new tables. The old tables stay until it resolves, or for
   * good if it rejects. Then `reshape` calls the function that `fill` resolved with.
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

  /** `look` may take several turns of the event loop. */
  read<Result>(look: () => Result | Promise<Result>): Promise<Result> {
    return this.#oneAtATime(look);
  }

  /** Returns the function that unsubscribes. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Keeps pushed series that the next tables lack. */
  async #retire(next: ReadonlyMap<string, SeriesTable>, slices: Steps): Promise<readonly SeriesTable[]> {
    const retired: SeriesTable[] = [];
    for (const table of [...this.#tables.values(), ...this.#retired]) {
      const kept = new SeriesTable(table.family, this.endedSeries);
      await retire(table, next.get(table.family.name), kept, slices);
      retired.push(kept);
    }
    return retired.filter(({ endedCount }) => endedCount > 0);
  }

  #createTables(families: Iterable<MetricFamily>): ReadonlyMap<string, SeriesTable> {
    return new Map([...families].map((family) => [family.name, new SeriesTable(family, this.endedSeries)]));
  }
}

function tableOf(tables: ReadonlyMap<string, SeriesTable>, family: MetricFamily): SeriesTable {
  const table = tables.get(family.name);
  if (table === undefined) throw new RangeError(`no family ${family.name} in the metric table`);
  return table;
}
