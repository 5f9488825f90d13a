import type { MetricFamily } from "../mapping/metric-table.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { ShardKey } from "../store/shard-key.ts";
import type { Tables } from "../store/store.ts";
import type { Family, Labellers, Subject } from "./family.ts";

export interface ProjectorOptions<Item extends Subject, About, LabelsOf extends string> {
  readonly families: readonly Family<Item, About, LabelsOf>[];
  readonly labels: Labellers<Item, About, LabelsOf>;
  readonly tables: Tables;
  /** With which other series those of an object stay together. */
  readonly shardKey: (object: Item) => ShardKey;
  /** The fact (bit) that labels come from; 0: they never change. */
  readonly identity: number;
}

/**
 * The series of all objects of one kind, as their families declare them: adds, relabels, withdraws and removes them. Of an
 * object that changed only the families are visited that show what changed.
 */
export class Projector<Item extends Subject, About, LabelsOf extends string> {
  readonly #series: readonly FamilySeries<Item, About, LabelsOf>[];
  readonly #identity: number;

  constructor({ families, identity, ...options }: ProjectorOptions<Item, About, LabelsOf>) {
    this.#series = families.map((family) => new FamilySeries(family, options));
    this.#identity = identity;
  }

  /** Shows what changed of an object. `facts`: which, as bits; `now`: monotonic ms. */
  show(object: Item, about: About, facts: number, now: number): void {
    if ((facts & this.#identity) !== 0) {
      for (const series of this.#series) if (series.relabel(object, about)) series.show(object, about, now);
    }
    for (const series of this.#series) if ((series.family.facts & facts) !== 0) series.show(object, about, now);
  }

  /** The object has no series any more. */
  remove(object: Item, about: About): void {
    for (const series of this.#series) series.remove(object, about);
  }

  /** Measurements of the object go to a receiver, which is to be told when the series of their families end. */
  markMeasured(object: Item, about: About): void {
    for (const series of this.#series) if (series.family.isMeasured) series.markPushed(object, about);
  }

  /** Removes the series of the object that are in another table, or nowhere, when it is about `after`. */
  leave(object: Item, before: About, after: About): void {
    for (const series of this.#series) if (series.isElsewhere(before, after)) series.remove(object, before);
  }
}

type FamilySeriesOptions<Item extends Subject, About, LabelsOf extends string> = Pick<
  ProjectorOptions<Item, About, LabelsOf>,
  "labels" | "tables" | "shardKey"
>;

/** Slots of series by the row of their object. */
type Slots = (number | undefined)[];

const ONLY = [""];

/** The series of one family that belong to one server. */
class FamilySeries<Item extends Subject, About, LabelsOf extends string> {
  readonly family: Family<Item, About, LabelsOf>;
  readonly #options: FamilySeriesOptions<Item, About, LabelsOf>;
  readonly #slots: readonly (readonly [each: string, slots: Slots])[];
  /** Undefined where the table depends on the object. */
  readonly #onlyTable: SeriesTable | undefined;

  constructor(family: Family<Item, About, LabelsOf>, options: FamilySeriesOptions<Item, About, LabelsOf>) {
    this.family = family;
    this.#options = options;
    this.#slots = (family.each ?? ONLY).map((each) => [each, []]);
    this.#onlyTable = typeof family.family === "function" ? undefined : options.tables.table(family.family);
  }

  /** Shows the object as it is; `now`: monotonic ms. */
  show(object: Item, about: About, now: number): void {
    const table = this.#table(about);
    if (table === undefined) return;
    for (const [each, slots] of this.#slots) this.#showOne(table, slots, object, about, each, now);
  }

  #showOne(table: SeriesTable, slots: Slots, object: Item, about: About, each: string, now: number): void {
    const { family } = this;
    const slot = slots[object.row];
    if (family.has?.(object, about, each) === false) {
      if (slot !== undefined) removeFrom(table, slots, object.row, slot);
      return;
    }
    const value = family.value(object, about, each);
    const until = value === undefined ? 0 : family.until(object, about, each);
    if (value === undefined || until <= now) {
      if (slot !== undefined) table.withdraw(slot);
      return;
    }
    if (
      slot !== undefined &&
      family.own !== undefined &&
      table.label(slot, table.family.labels.length - 1) !== family.own(object, about)
    ) {
      table.relabel(slot, this.#labels(object, about, each), this.#options.shardKey(object));
    }
    table.set(slot ?? this.#add(table, slots, object, about, each), value, until);
  }

  /** The object may have other labels. Returns whether slots were freed, so that it is to be shown anew. */
  relabel(object: Item, about: About): boolean {
    const table = this.#table(about);
    if (table === undefined) return false;
    let isFreed = false;
    for (const [each, slots] of this.#slots) {
      const slot = slots[object.row];
      if (slot === undefined) continue;
      const labels = this.#labels(object, about, each);
      const shardKey = this.#options.shardKey(object);
      // A sensor can move to a device of the same name.
      if (shardKey === table.shardKey(slot) && table.hasLabels(slot, labels)) continue;
      if (this.family.freesSlotOnRelabel) {
        removeFrom(table, slots, object.row, slot);
        isFreed = true;
      } else table.relabel(slot, labels, shardKey);
    }
    return isFreed;
  }

  /** The object has no series any more; `about` is as when it was last shown. */
  remove(object: Item, about: About): void {
    const table = this.#table(about);
    if (table === undefined) return;
    for (const [, slots] of this.#slots) {
      const slot = slots[object.row];
      if (slot !== undefined) removeFrom(table, slots, object.row, slot);
    }
  }

  /** Values of the object's series go to a receiver, which is to be told when they end; also where none is served now. */
  markPushed(object: Item, about: About): void {
    const table = this.#table(about);
    if (table === undefined) return;
    for (const [each, slots] of this.#slots) {
      if (this.family.has?.(object, about, each) === false) continue;
      table.markPushed(slots[object.row] ?? this.#add(table, slots, object, about, each));
    }
  }

  /** Whether its series are in another table. */
  isElsewhere(before: About, after: About): boolean {
    return this.#onlyTable === undefined && this.#table(before) !== this.#table(after);
  }

  #add(table: SeriesTable, slots: Slots, object: Item, about: About, each: string): number {
    const slot = table.add(this.#labels(object, about, each), this.#options.shardKey(object));
    // Without holes, which would make the array a slow one.
    while (slots.length < object.row) slots.push(undefined);
    slots[object.row] = slot;
    return slot;
  }

  #labels(object: Item, about: About, each: string): readonly string[] {
    const { family } = this;
    const labels = this.#options.labels[family.labels](object, about);
    if (family.own !== undefined) return [...labels, family.own(object, about)];
    return family.each === undefined ? labels : [...labels, each];
  }

  #table(about: About): SeriesTable | undefined {
    if (this.#onlyTable !== undefined) return this.#onlyTable;
    const family: MetricFamily | undefined =
      typeof this.family.family === "function" ? this.family.family(about) : this.family.family;
    return family && this.#options.tables.table(family);
  }
}

function removeFrom(table: SeriesTable, slots: Slots, row: number, slot: number): void {
  table.remove(slot);
  slots[row] = undefined;
}
