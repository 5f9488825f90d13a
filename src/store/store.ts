import type { MetricFamily } from "../mapping/metric-table.ts";
import { type LabelRenderer, SeriesTable } from "./series-table.ts";

/**
 * The current samples of all servers. Writers change it inside `commit`, readers walk it inside `read`; the two take
 * turns, so that a page never shows half a poll.
 */
export class Store {
  readonly #tables = new Map<string, SeriesTable>();
  readonly #renderLabels: LabelRenderer;
  readonly #listeners = new Set<() => void>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(families: Iterable<MetricFamily>, renderLabels: LabelRenderer) {
    this.#renderLabels = renderLabels;
    for (const family of families) this.#tables.set(family.name, new SeriesTable(family, this.#renderLabels));
  }

  /** Tables in the order of the metric table. */
  get tables(): Iterable<SeriesTable> {
    return this.#tables.values();
  }

  /** @throws RangeError when the family is not in the metric table. */
  table(family: MetricFamily): SeriesTable {
    const table = this.#tables.get(family.name);
    if (table === undefined) throw new RangeError(`no family ${family.name} in the metric table`);
    return table;
  }

  /** Rises with each change that a reader could see. */
  get version(): number {
    let version = 0;
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

  /** Runs `change` when nobody else reads or writes, then tells the listeners. */
  async commit<Result>(change: () => Result | Promise<Result>): Promise<Result> {
    const result = await this.#exclusive(change);
    for (const listener of this.#listeners) listener();
    return result;
  }

  /** Runs `look` when nobody writes; it may take several turns of the event loop. */
  read<Result>(look: () => Result | Promise<Result>): Promise<Result> {
    return this.#exclusive(look);
  }

  /** Calls `listener` after each commit; returns the way to stop it. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #exclusive<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
