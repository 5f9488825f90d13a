import type { SeriesTable } from "./series-table.ts";

/**
 * The series of one family that belong to one owner (a server), addressed by a key such as a sensor id.
 * Labels are rendered anew only when they differ.
 */
export class KeyedSeries {
  readonly #table: SeriesTable;
  readonly #slots = new Map<string, number>();

  constructor(table: SeriesTable) {
    this.#table = table;
  }

  /** Sets the value under `key` until `expiresAt` (monotonic ms), adding or relabelling the series where needed. */
  set(key: string, labels: readonly string[], value: number, expiresAt?: number): void {
    let slot = this.#slots.get(key);
    if (slot === undefined) {
      slot = this.#table.add(labels);
      this.#slots.set(key, slot);
    } else if (!sameLabels(this.#table.labels(slot), labels)) {
      this.#table.relabel(slot, labels);
    }
    this.#table.set(slot, value, expiresAt);
  }

  /** Gives the series under `key`, if there is one, other labels; its value stays. */
  relabel(key: string, labels: readonly string[]): void {
    const slot = this.#slots.get(key);
    if (slot !== undefined && !sameLabels(this.#table.labels(slot), labels)) this.#table.relabel(slot, labels);
  }

  /** Takes the value away but remembers the series. */
  withdraw(key: string): void {
    const slot = this.#slots.get(key);
    if (slot !== undefined) this.#table.withdraw(slot);
  }

  /** Forgets the series. */
  delete(key: string): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#table.remove(slot);
    this.#slots.delete(key);
  }

  /** Forgets every series whose key `keep` refuses. */
  retain(keep: (key: string) => boolean): void {
    for (const key of this.#slots.keys()) {
      if (!keep(key)) this.delete(key);
    }
  }

  /** The value served under `key`, undefined where there is none. */
  value(key: string): number | undefined {
    const slot = this.#slots.get(key);
    return slot !== undefined && this.#table.isPresent(slot) ? this.#table.value(slot) : undefined;
  }
}

function sameLabels(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((value, index) => value === b[index]));
}
