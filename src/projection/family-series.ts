import type { MetricFamily } from "../mapping/metric-table.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { ShardKey } from "../store/shard-key.ts";
import type { Tables } from "../store/store.ts";
import type { Family, Subject } from "./family.ts";
import { Slots } from "./slots.ts";

export interface FamilySeriesOptions<Item extends Subject, About> {
  readonly tables: Tables;
  /** All but the own label of the family. */
  readonly labels: (object: Item, about: About) => readonly string[];
  /** With which other series those of the object stay together. */
  readonly shardKey: (object: Item) => ShardKey;
}

const ONLY = [""];

/** The series of one family that belong to one server. */
export class FamilySeries<Item extends Subject, About> {
  readonly facts: number;
  readonly isMeasured: boolean;
  // Out of the family: objects that lack this or that member are of many shapes to V8, which looks each member up then.
  readonly #has: Family<Item, About, string>["has"];
  readonly #readValue: Family<Item, About, string>["value"];
  readonly #readUntil: Family<Item, About, string>["until"];
  readonly #own: Family<Item, About, string>["own"];
  readonly #hasEach: boolean;
  readonly #freesSlotOnRelabel: boolean;
  /** Undefined where all objects have their series in one table. */
  readonly #familyOf: ((about: About) => MetricFamily | undefined) | undefined;
  readonly #options: FamilySeriesOptions<Item, About>;
  readonly #each: readonly string[];
  readonly #slots: readonly Slots[];
  /** Undefined where the table depends on the object. */
  readonly #onlyTable: SeriesTable | undefined;
  #lastFamily: MetricFamily | undefined;
  #lastTable: SeriesTable | undefined;

  constructor(family: Family<Item, About, string>, options: FamilySeriesOptions<Item, About>) {
    this.facts = family.facts;
    this.isMeasured = family.isMeasured === true;
    this.#has = family.has;
    this.#readValue = family.value;
    this.#readUntil = family.until;
    this.#own = family.own;
    this.#hasEach = family.each !== undefined;
    this.#freesSlotOnRelabel = family.freesSlotOnRelabel === true;
    this.#options = options;
    this.#each = family.each ?? ONLY;
    this.#slots = this.#each.map(() => new Slots());
    this.#familyOf = typeof family.family === "function" ? family.family : undefined;
    this.#onlyTable = typeof family.family === "function" ? undefined : options.tables.table(family.family);
  }

  /** Shows the object as it is; `now`: monotonic ms. */
  show(object: Item, about: About, now: number): void {
    const table = this.#table(about);
    for (let index = 0; index < this.#each.length; index++) {
      const each = this.#each[index] ?? "";
      const slots = this.#slots[index];
      if (slots !== undefined) this.#showOne(table, slots, object, about, each, now);
    }
  }

  #showOne(table: SeriesTable | undefined, slots: Slots, object: Item, about: About, each: string, now: number): void {
    const [has, readValue, readUntil, own] = [this.#has, this.#readValue, this.#readUntil, this.#own];
    let slot = slots.of(object.row);
    if (table === undefined) return;
    if (has !== undefined && !has(object, about, each)) {
      if (slot !== Slots.NONE) removeFrom(table, slots, object.row, slot);
      return;
    }
    const value = readValue(object, about, each);
    const until = value === undefined ? 0 : readUntil(object, about, each);
    if (value === undefined || until <= now) {
      if (slot !== Slots.NONE) table.withdraw(slot);
      return;
    }
    if (slot === Slots.NONE) {
      slot = table.add(this.#labels(object, about, each), this.#options.shardKey(object));
      slots.set(object.row, slot);
    } else if (own !== undefined && table.label(slot, table.family.labels.length - 1) !== own(object, about)) {
      table.relabel(slot, this.#labels(object, about, each), this.#options.shardKey(object));
    }
    table.set(slot, value, until);
  }

  /** The object may have other labels. Returns whether slots were freed, so that it is to be shown anew. */
  relabel(object: Item, about: About): boolean {
    const table = this.#table(about);
    if (table === undefined) return false;
    let left = false;
    for (let index = 0; index < this.#slots.length; index++) {
      const slots = this.#slots[index];
      const slot = slots?.of(object.row) ?? Slots.NONE;
      if (slots === undefined || slot === Slots.NONE) continue;
      const labels = this.#labels(object, about, this.#each[index] ?? "");
      const shardKey = this.#options.shardKey(object);
      // A sensor can move to a device of the same name.
      if (shardKey === table.shardKey(slot) && table.hasLabels(slot, labels)) continue;
      if (this.#freesSlotOnRelabel) {
        removeFrom(table, slots, object.row, slot);
        left = true;
      } else table.relabel(slot, labels, shardKey);
    }
    return left;
  }

  /** The object has no series any more; `about` is as when it was last shown. */
  remove(object: Item, about: About): void {
    const table = this.#table(about);
    if (table === undefined) return;
    for (const slots of this.#slots) {
      const slot = slots.of(object.row);
      if (slot !== Slots.NONE) removeFrom(table, slots, object.row, slot);
    }
  }

  /** Values of the object's series go to a receiver, which is to be told when they end; also where none is served now. */
  markPushed(object: Item, about: About): void {
    const table = this.#table(about);
    if (table === undefined) return;
    const has = this.#has;
    for (const [index, slots] of this.#slots.entries()) {
      const each = this.#each[index] ?? "";
      if (has !== undefined && !has(object, about, each)) continue;
      let slot = slots.of(object.row);
      if (slot === Slots.NONE) {
        slot = table.add(this.#labels(object, about, each), this.#options.shardKey(object));
        slots.set(object.row, slot);
      }
      table.markPushed(slot);
    }
  }

  /** Whether its series are in another table. */
  isElsewhere(before: About, after: About): boolean {
    return this.#onlyTable === undefined && this.#table(before) !== this.#table(after);
  }

  #labels(object: Item, about: About, each: string): readonly string[] {
    const own = this.#own;
    const labels = this.#options.labels(object, about);
    if (own !== undefined) return [...labels, own(object, about)];
    return this.#hasEach ? [...labels, each] : labels;
  }

  #table(about: About): SeriesTable | undefined {
    const familyOf = this.#familyOf;
    if (familyOf === undefined) return this.#onlyTable;
    const family = familyOf(about);
    if (family !== this.#lastFamily) {
      this.#lastFamily = family;
      this.#lastTable = family && this.#options.tables.table(family);
    }
    return this.#lastTable;
  }
}

function removeFrom(table: SeriesTable, slots: Slots, row: number, slot: number): void {
  table.remove(slot);
  slots.set(row, Slots.NONE);
}
