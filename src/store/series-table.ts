import type { MetricFamily } from "../mapping/metric-table.ts";
import { ABSENT, BLOCK_SIZE, SeriesBlock } from "./series-block.ts";
import { SERVER_WIDE, type ShardKey } from "./shard-key.ts";
import { StringPool } from "./string-pool.ts";

/** Renders the label part of a series: `{server="hq",id="40"}`. */
export type LabelRenderer = (family: MetricFamily, values: readonly string[]) => string;

/**
 * The series of one family, in flat arrays: label values as numbers, values, expiry. A poll of 200,000 channels must
 * not allocate per sample, and what a series takes must stay out of the heap. A series is addressed by its slot number.
 */
export class SeriesTable {
  readonly family: MetricFamily;
  readonly #renderLabels: LabelRenderer;
  readonly #texts: StringPool;
  readonly #blocks: SeriesBlock[] = [];
  readonly #free: number[] = [];
  #nextExpiry = Number.POSITIVE_INFINITY;
  #slots = 0;
  #size = 0;
  #version = 0;
  #labelled = 0;

  /** `texts`: shared by the tables of a store. */
  constructor(family: MetricFamily, renderLabels: LabelRenderer, texts = new StringPool()) {
    this.family = family;
    this.#renderLabels = renderLabels;
    this.#texts = texts;
  }

  /** Slots in use or free; iterate from 0 to here and ask `isPresent`. */
  get slots(): number {
    return this.#slots;
  }

  /** Slot s is in block s / BLOCK_SIZE. */
  get blocks(): readonly SeriesBlock[] {
    return this.#blocks;
  }

  /** Series that have a value now. */
  get size(): number {
    return this.#size;
  }

  /** Rises with each change that a reader could see. */
  get version(): number {
    return this.#version;
  }

  /** Rises with each series that gets labels, and is noted with it. */
  get labelled(): number {
    return this.#labelled;
  }

  /** Lower bound of the next moment (monotonic ms) at which a value expires. */
  get nextExpiry(): number {
    return this.#nextExpiry;
  }

  /** Adds a series without a value. `labels` are the values for `family.labels`, in that order. */
  add(labels: readonly string[], shardKey: ShardKey = SERVER_WIDE): number {
    this.#checkLabels(labels);
    const slot = this.#free.pop() ?? this.#extend();
    this.#setLabels(slot, labels, shardKey);
    return slot;
  }

  /** Gives the series other labels; its value stays. */
  relabel(slot: number, labels: readonly string[], shardKey: ShardKey = this.shardKey(slot)): void {
    this.#checkLabels(labels);
    const before = this.#labelIds(slot).slice();
    this.#setLabels(slot, labels, shardKey);
    for (const id of before) this.#texts.release(id);
    if (this.isPresent(slot)) this.#block(slot).version = ++this.#version;
  }

  /** Gives the series a value until `expiresAt` (monotonic ms). */
  set(slot: number, value: number, expiresAt: number = Number.POSITIVE_INFINITY): void {
    const block = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    if (block.expiresAt[at] === ABSENT) {
      this.#size++;
      block.version = ++this.#version;
    } else if (!Object.is(block.values[at], value)) {
      block.version = ++this.#version;
    }
    block.values[at] = value;
    block.expiresAt[at] = expiresAt;
    if (expiresAt < block.nextExpiry) block.nextExpiry = expiresAt;
    if (expiresAt < this.#nextExpiry) this.#nextExpiry = expiresAt;
  }

  /** Takes the value away; the series stays known. */
  withdraw(slot: number): void {
    const block = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    if (block.expiresAt[at] === ABSENT) return;
    block.expiresAt[at] = ABSENT;
    block.version = ++this.#version;
    this.#size--;
  }

  /** Forgets the series; its slot will be used again. */
  remove(slot: number): void {
    this.withdraw(slot);
    const labels = this.#labelIds(slot);
    for (const id of labels) this.#texts.release(id);
    labels.fill(StringPool.EMPTY);
    this.#free.push(slot);
  }

  /** Withdraws every value whose time has come. */
  expire(now: number): void {
    if (now < this.#nextExpiry) return;
    let next = Number.POSITIVE_INFINITY;
    for (const [index, block] of this.#blocks.entries()) {
      if (block.nextExpiry <= now) this.#expireBlock(index * BLOCK_SIZE, block, now);
      if (block.nextExpiry < next) next = block.nextExpiry;
    }
    this.#nextExpiry = next;
  }

  isPresent(slot: number): boolean {
    return this.expiresAt(slot) !== ABSENT;
  }

  /** The value last set; meaningless unless `isPresent`. */
  value(slot: number): number {
    return this.#block(slot).values[slot % BLOCK_SIZE] ?? Number.NaN;
  }

  /** Until when (monotonic ms) the value may be served; meaningless unless `isPresent`. */
  expiresAt(slot: number): number {
    return this.#block(slot).expiresAt[slot % BLOCK_SIZE] ?? ABSENT;
  }

  shardKey(slot: number): ShardKey {
    return this.#block(slot).shardKeys[slot % BLOCK_SIZE] ?? SERVER_WIDE;
  }

  /** Made anew by each call; `label` where one of them is enough. */
  labels(slot: number): readonly string[] {
    return this.family.labels.map((_, column) => this.label(slot, column));
  }

  /** The value of the label at this place in `family.labels`. */
  label(slot: number, column: number): string {
    const at = (slot % BLOCK_SIZE) * this.family.labels.length + column;
    return this.#texts.text(this.#block(slot).labels[at] ?? StringPool.EMPTY);
  }

  hasLabels(slot: number, labels: readonly string[]): boolean {
    return labels.every((label, column) => this.label(slot, column) === label);
  }

  labelText(slot: number): string {
    return this.#renderLabels(this.family, this.labels(slot));
  }

  #block(slot: number): SeriesBlock {
    const block = this.#blocks[Math.floor(slot / BLOCK_SIZE)];
    if (block === undefined) throw new RangeError(`${this.family.name} has no slot ${slot}`);
    return block;
  }

  #extend(): number {
    let block = this.#blocks.at(-1);
    if (block === undefined || block.isFull) {
      block = new SeriesBlock(this.family.labels.length);
      this.#blocks.push(block);
    }
    block.extend();
    return this.#slots++;
  }

  #setLabels(slot: number, labels: readonly string[], shardKey: ShardKey): void {
    const block = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    const first = at * labels.length;
    for (const [column, label] of labels.entries()) block.labels[first + column] = this.#texts.take(label);
    block.shardKeys[at] = shardKey;
    block.labelledAt[at] = ++this.#labelled;
  }

  /** A view of them. */
  #labelIds(slot: number): Uint32Array {
    const width = this.family.labels.length;
    const first = (slot % BLOCK_SIZE) * width;
    return this.#block(slot).labels.subarray(first, first + width);
  }

  #expireBlock(firstSlot: number, block: SeriesBlock, now: number): void {
    let next = Number.POSITIVE_INFINITY;
    for (let at = 0; at < block.used; at++) {
      const expiresAt = block.expiresAt[at] ?? ABSENT;
      if (expiresAt === ABSENT) continue;
      if (expiresAt <= now) this.withdraw(firstSlot + at);
      else if (expiresAt < next) next = expiresAt;
    }
    block.nextExpiry = next;
  }

  #checkLabels(labels: readonly string[]): void {
    if (labels.length !== this.family.labels.length) {
      throw new RangeError(`${this.family.name} has ${this.family.labels.length} labels, not ${labels.length}`);
    }
  }
}
