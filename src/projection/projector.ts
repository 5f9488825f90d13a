import type { MetricFamily, Samples, Subject } from "../mapping/families/family.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { ShardKey } from "../store/shard-key.ts";
import type { Tables } from "../store/store.ts";

/** Label values of an object, without the last label of a family. Families with the same labels share the function. */
export type LabelsOf<Item, About> = (server: string, item: Item, about: About) => readonly string[];

/** A series of the page. */
export interface PresentSeries {
  readonly family: MetricFamily;
  readonly labels: readonly string[];
  readonly value: number;
}

/** A family as it is served. */
export interface ServedFamily<Item extends Subject, About> extends Samples<Item, About> {
  /** `undefined`: the object has no such series. */
  readonly family: MetricFamily | ((about: About) => MetricFamily | undefined);
  readonly labelsOf: LabelsOf<Item, About>;
}

export interface ProjectorOptions<Item extends Subject, About> {
  /** Value of the label `server`. */
  readonly server: string;
  readonly families: readonly ServedFamily<Item, About>[];
  readonly tables: Tables;
  /** Keeps the series of an object together. */
  readonly shardKey: (item: Item) => ShardKey;
  /** The fact (bit) that labels depend on. 0: labels never change. */
  readonly identity: number;
}

/**
 * The series of all objects of one kind: adds, relabels, withdraws and removes them as their families declare. Visits only the
 * families that depend on the facts that changed.
 */
export class Projector<Item extends Subject, About> {
  readonly #series: readonly FamilySeries<Item, About>[];
  readonly #identity: number;
  readonly #labels: SharedLabels<Item, About>;

  constructor({ server, families, identity, tables, shardKey }: ProjectorOptions<Item, About>) {
    this.#labels = new SharedLabels(server);
    const shared = { tables, shardKey, labels: this.#labels };
    this.#series = families.map((family) => new FamilySeries(family, shared));
    this.#identity = identity;
  }

  /** Updates the series of an object. `facts`: what changed, as bits. `now`: monotonic ms. */
  update(item: Item, about: About, facts: number, now: number): void {
    this.#labels.forget();
    if ((facts & this.#identity) !== 0) {
      for (const series of this.#series) if (series.relabel(item, about)) series.update(item, about, now);
    }
    for (const series of this.#series) if ((series.family.facts & facts) !== 0) series.update(item, about, now);
  }

  /** Removes all series of the object. */
  remove(item: Item, about: About): void {
    for (const series of this.#series) series.remove(item, about);
  }

  /** OTLP pushes measurements of the object, so the receiver needs a staleness marker when their series end. */
  markMeasured(item: Item, about: About): void {
    this.#labels.forget();
    for (const series of this.#series) if (series.family.isMeasured) series.markPushed(item, about);
  }

  /** Series with a value. Visits only the slots of the object. `now`: monotonic ms. */
  *present(item: Item, about: About, now: number): Iterable<PresentSeries> {
    for (const series of this.#series) yield* series.present(item, about, now);
  }

  /** Removes the series that are in another table, or in none, after `about` changed. */
  removeMoved(item: Item, before: About, after: About): void {
    for (const series of this.#series) if (series.isMoved(before, after)) series.remove(item, before);
  }
}

/** Families with the same labels share one array for each object: 200,000 channels have several series each. */
class SharedLabels<Item, About> {
  readonly #server: string;
  readonly #labels = new Map<LabelsOf<Item, About>, readonly string[]>();

  constructor(server: string) {
    this.#server = server;
  }

  get(labelsOf: LabelsOf<Item, About>, item: Item, about: About): readonly string[] {
    const labels = this.#labels.get(labelsOf) ?? labelsOf(this.#server, item, about);
    this.#labels.set(labelsOf, labels);
    return labels;
  }

  /** Call it before another object, or the same after a change. */
  forget(): void {
    if (this.#labels.size > 0) this.#labels.clear();
  }
}

interface FamilySeriesOptions<Item extends Subject, About>
  extends Pick<ProjectorOptions<Item, About>, "tables" | "shardKey"> {
  readonly labels: SharedLabels<Item, About>;
}

const ONE_SERIES = [""];

/** The series of one family on one server. */
class FamilySeries<Item extends Subject, About> {
  readonly family: ServedFamily<Item, About>;
  readonly #options: FamilySeriesOptions<Item, About>;
  /** Values of the last label. */
  readonly #lasts: readonly string[];
  readonly #slots = new Slots();
  /** `undefined`: the table depends on the object. */
  readonly #onlyTable: SeriesTable | undefined;

  constructor(family: ServedFamily<Item, About>, options: FamilySeriesOptions<Item, About>) {
    this.family = family;
    this.#options = options;
    this.#lasts = family.lastLabel?.values ?? ONE_SERIES;
    this.#onlyTable = typeof family.family === "function" ? undefined : options.tables.table(family.family);
  }

  update(item: Item, about: About, now: number): void {
    const table = this.#table(about);
    if (table === undefined) return;
    let index = this.#firstIndex(item);
    for (const last of this.#lasts) this.#updateOne(table, index++, item, about, last, now);
  }

  #updateOne(table: SeriesTable, index: number, item: Item, about: About, last: string, now: number): void {
    const { family } = this;
    const slot = this.#slots.get(index);
    if (family.has?.(item, about, last) === false) {
      if (slot !== undefined) this.#removeSlot(table, index, slot);
      return;
    }
    const value = family.value(item, about, last);
    const expiresAt = value === undefined ? 0 : family.expiresAt(item, about, last);
    if (value === undefined || expiresAt <= now) {
      if (slot !== undefined) table.withdraw(slot);
      return;
    }
    if (slot !== undefined && this.#hasOtherText(table, slot, item, about)) {
      table.relabel(slot, this.#labels(item, about, last), this.#options.shardKey(item));
    }
    table.set(slot ?? this.#add(table, index, item, about, last), value, expiresAt);
  }

  /** Returns whether it freed slots. Call `update` then. */
  relabel(item: Item, about: About): boolean {
    const table = this.#table(about);
    if (table === undefined) return false;
    let isFreed = false;
    let index = this.#firstIndex(item) - 1;
    for (const last of this.#lasts) {
      const slot = this.#slots.get(++index);
      if (slot === undefined) continue;
      const labels = this.#labels(item, about, last);
      const shardKey = this.#options.shardKey(item);
      // A sensor can move to a device of the same name.
      if (shardKey === table.shardKey(slot) && table.hasLabels(slot, labels)) continue;
      if (this.family.freesSlotOnRelabel) {
        this.#removeSlot(table, index, slot);
        isFreed = true;
      } else table.relabel(slot, labels, shardKey);
    }
    return isFreed;
  }

  /** `about`: as in the last `update`. */
  remove(item: Item, about: About): void {
    const table = this.#table(about);
    if (table === undefined) return;
    const first = this.#firstIndex(item);
    for (let index = first; index < first + this.#lasts.length; index++) {
      const slot = this.#slots.get(index);
      if (slot !== undefined) this.#removeSlot(table, index, slot);
    }
  }

  /** Also adds series that have no value yet. */
  markPushed(item: Item, about: About): void {
    const table = this.#table(about);
    if (table === undefined) return;
    let index = this.#firstIndex(item) - 1;
    for (const last of this.#lasts) {
      index++;
      if (this.family.has?.(item, about, last) === false) continue;
      table.markPushed(this.#slots.get(index) ?? this.#add(table, index, item, about, last));
    }
  }

  *present(item: Item, about: About, now: number): Iterable<PresentSeries> {
    const table = this.#table(about);
    if (table === undefined) return;
    const first = this.#firstIndex(item);
    for (let index = first; index < first + this.#lasts.length; index++) {
      const slot = this.#slots.get(index);
      // A series without a value has expired long ago.
      if (slot === undefined || table.expiresAt(slot) <= now) continue;
      yield { family: table.family, labels: table.labels(slot), value: table.value(slot) };
    }
  }

  isMoved(before: About, after: About): boolean {
    return this.#table(before) !== this.#table(after);
  }

  /** An object has an index into the slots for each value of the last label. */
  #firstIndex({ row }: Item): number {
    return row * this.#lasts.length;
  }

  #add(table: SeriesTable, index: number, item: Item, about: About, last: string): number {
    const slot = table.add(this.#labels(item, about, last), this.#options.shardKey(item));
    this.#slots.set(index, slot);
    return slot;
  }

  #removeSlot(table: SeriesTable, index: number, slot: number): void {
    table.remove(slot);
    this.#slots.delete(index);
  }

  #labels(item: Item, about: About, last: string): readonly string[] {
    const { labelsOf, lastLabel } = this.family;
    const labels = this.#options.labels.get(labelsOf, item, about);
    if (lastLabel === undefined) return labels;
    // `concat` makes an array without spare room, other than a spread.
    return labels.concat(this.#textOf(item, about) ?? last);
  }

  #hasOtherText(table: SeriesTable, slot: number, item: Item, about: About): boolean {
    const text = this.#textOf(item, about);
    return text !== undefined && text !== table.label(slot, table.family.labels.length - 1);
  }

  /** `undefined`: the last label does not change with the object. */
  #textOf(item: Item, about: About): string | undefined {
    return this.family.lastLabel?.textOf?.(item, about).toWellFormed();
  }

  #table(about: About): SeriesTable | undefined {
    if (this.#onlyTable !== undefined) return this.#onlyTable;
    const family: MetricFamily | undefined =
      typeof this.family.family === "function" ? this.family.family(about) : this.family.family;
    return family && this.#options.tables.table(family);
  }
}

const FIRST_LENGTH = 16;
const NONE = -1;
/** Many families of a small server have no series. */
const EMPTY = new Int32Array(0);

/** Slots of series by index. A typed array takes half the memory of a plain one. */
export class Slots {
  #slots = EMPTY;

  get(index: number): number | undefined {
    const slot = this.#slots[index];
    return slot === NONE ? undefined : slot;
  }

  set(index: number, slot: number): void {
    if (index >= this.#slots.length) this.#grow(index + 1);
    this.#slots[index] = slot;
  }

  delete(index: number): void {
    this.#slots[index] = NONE;
  }

  /** Frees the memory before: left to the garbage collector, it would be several times as much as all slots. */
  #grow(length: number): void {
    const known = this.#slots.length;
    const bytes = Math.max(FIRST_LENGTH, length + (length >> 2)) * Int32Array.BYTES_PER_ELEMENT;
    const memory = this.#slots === EMPTY ? new ArrayBuffer(bytes) : this.#slots.buffer.transfer(bytes);
    this.#slots = new Int32Array(memory).fill(NONE, known);
  }
}
