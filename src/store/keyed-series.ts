import { type Owner, SERVER_WIDE } from "./owner.ts";
import type { SeriesTable } from "./series-table.ts";

/**
 * The series of one family that belong to one owner (a server), addressed by a key such as a sensor id.
 * Labels are rendered anew only when they differ.
 */
export class KeyedSeries {
  readonly #table: SeriesTable;
  readonly #ownerOf: (key: string) => Owner;
  readonly #slots = new Map<string, number>();

  /** `ownerOf`: asked when a series gets labels. */
  constructor(table: SeriesTable, ownerOf: (key: string) => Owner = () => SERVER_WIDE) {
    this.#table = table;
    this.#ownerOf = ownerOf;
  }

  /** Sets the value under `key` until `expiresAt` (monotonic ms), adding or relabelling the series where needed. */
  set(key: string, labels: readonly string[], value: number, expiresAt?: number): void {
    let slot = this.#slots.get(key);
    if (slot === undefined) {
      slot = this.#table.add(labels, this.#ownerOf(key));
      this.#slots.set(key, slot);
    } else if (!this.#table.hasLabels(slot, labels)) {
      this.#table.relabel(slot, labels, this.#ownerOf(key));
    }
    this.#table.set(slot, value, expiresAt);
  }

  /** Gives the series under `key`, if there is one, other labels; its value stays. */
  relabel(key: string, labels: readonly string[]): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    const owner = this.#ownerOf(key);
    // A sensor can move to a device of the same name.
    if (owner !== this.#table.owner(slot) || !this.#table.hasLabels(slot, labels)) {
      this.#table.relabel(slot, labels, owner);
    }
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

  /** The same series, with labels and values as they are, in another table of the same family. */
  copyTo(table: SeriesTable): KeyedSeries {
    const copy = new KeyedSeries(table, this.#ownerOf);
    for (const [key, slot] of this.#slots) {
      if (!this.#table.isPresent(slot)) continue;
      copy.set(key, this.#table.labels(slot), this.#table.value(slot), this.#table.expiresAt(slot));
    }
    return copy;
  }

  /** Until when (monotonic ms) the value under `key` may be served, undefined where there is none. */
  expiresAt(key: string): number | undefined {
    const slot = this.#slots.get(key);
    return slot !== undefined && this.#table.isPresent(slot) ? this.#table.expiresAt(slot) : undefined;
  }

  /** The value served under `key`, undefined where there is none. */
  value(key: string): number | undefined {
    const slot = this.#slots.get(key);
    return slot !== undefined && this.#table.isPresent(slot) ? this.#table.value(slot) : undefined;
  }
}
