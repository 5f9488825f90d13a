import type { MetricFamily } from "../mapping/families/family.ts";
import { ABSENT, BLOCK_SIZE, MARKS, SeriesBlock } from "./series-block.ts";
import { SERVER_WIDE, type ShardKey } from "./shard-key.ts";

/**
 * The series of one family, addressed by slot number. Flat arrays: a poll of 200,000 channels allocates nothing per
 * sample.
 */
export class SeriesTable {
  readonly family: MetricFamily;
  readonly #endedSeries: EndedSeries;
  readonly #blocks: SeriesBlock[] = [];
  readonly #free: number[] = [];
  #slots = 0;
  #nextExpiry = Number.POSITIVE_INFINITY;
  #size = 0;
  #version = 0;
  #labelVersion = 0;
  #endedCount = 0;

  /** `endedSeries`: shared by the tables of a store. */
  constructor(family: MetricFamily, endedSeries = new EndedSeries(Number.POSITIVE_INFINITY)) {
    this.family = family;
    this.#endedSeries = endedSeries;
  }

  /** Including free slots. Check `isPresent`. */
  get slots(): number {
    return this.#slots;
  }

  get blocks(): readonly SeriesBlock[] {
    return this.#blocks;
  }

  /** Series with a value. */
  get size(): number {
    return this.#size;
  }

  /** Increases with each visible change. */
  get version(): number {
    return this.#version;
  }

  /** Increases with each new label set. */
  get labelVersion(): number {
    return this.#labelVersion;
  }

  /** Series that wait for a staleness marker. */
  get endedCount(): number {
    return this.#endedCount;
  }

  /** Lower bound, monotonic ms. */
  get nextExpiry(): number {
    return this.#nextExpiry;
  }

  /** `labels`: in the order of `family.labels`. */
  add(labels: readonly string[], shardKey: ShardKey = SERVER_WIDE): number {
    this.#checkLabels(labels);
    const slot = this.#free.pop() ?? this.#extend();
    this.#setLabels(slot, labels, shardKey);
    return slot;
  }

  relabel(slot: number, labels: readonly string[], shardKey: ShardKey = this.shardKey(slot)): void {
    this.#checkLabels(labels);
    const before = this.labels(slot);
    this.#setLabels(slot, labels, shardKey);
    this.#leave(slot, before);
    if (this.isPresent(slot)) this.#block(slot).version = ++this.#version;
  }

  /** `expiresAt`: monotonic ms. */
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

  /** Keeps the slot. */
  withdraw(slot: number): void {
    const block = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    if (block.expiresAt[at] === ABSENT) return;
    block.expiresAt[at] = ABSENT;
    block.version = ++this.#version;
    this.#size--;
  }

  /** Frees the slot after the staleness marker, if the receiver needs one. */
  remove(slot: number): void {
    this.withdraw(slot);
    const block = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    const marks = block.marks[at] ?? 0;
    if (marks === 0 || !this.#endedSeries.take()) this.#release(slot);
    else {
      block.marks[at] = marks | MARKS.ended;
      this.#endedCount++;
    }
  }

  /** The receiver needs a staleness marker when the series ends. */
  markPushed(slot: number): void {
    const { marks } = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    marks[at] = ((marks[at] ?? 0) & MARKS.ended) | MARKS.pushed;
  }

  isPushed(slot: number): boolean {
    return this.#marks(slot) !== 0;
  }

  hasEnded(slot: number): boolean {
    return (this.#marks(slot) & MARKS.ended) !== 0;
  }

  /** Returns the argument for `confirmEnd`. */
  markEnding(slot: number): number {
    const block = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    block.marks[at] = ((block.marks[at] ?? 0) & MARKS.ended) | MARKS.ending;
    return block.labelVersions[at] ?? 0;
  }

  /** The receiver accepted the staleness marker. Ignored if the series got new labels since `markEnding`. */
  ended(slot: number, labelVersion: number): void {
    const block = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    const marks = block.marks[at] ?? 0;
    if (block.labelVersions[at] !== labelVersion || (marks & MARKS.ending) === 0) return;
    if ((marks & MARKS.ended) !== 0) this.dropEnded(slot);
    else block.marks[at] = marks & ~MARKS.ending;
  }

  dropEnded(slot: number): void {
    this.#endedCount--;
    this.#endedSeries.release();
    this.#release(slot);
  }

  /** There is no receiver any more. */
  forgetPushed(): void {
    for (let slot = 0; slot < this.#slots; slot++) {
      if (this.hasEnded(slot)) this.dropEnded(slot);
      else this.#block(slot).marks[slot % BLOCK_SIZE] = 0;
    }
  }

  /** Returns false if there is no room. */
  addEnded(labels: readonly string[]): boolean {
    if (!this.#endedSeries.take()) return false;
    const slot = this.add(labels);
    this.#block(slot).marks[slot % BLOCK_SIZE] = MARKS.pushed | MARKS.ended;
    this.#endedCount++;
    return true;
  }

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

  /** Meaningless unless `isPresent`. */
  value(slot: number): number {
    return this.#block(slot).values[slot % BLOCK_SIZE] ?? Number.NaN;
  }

  /** Monotonic ms. Meaningless unless `isPresent`. */
  expiresAt(slot: number): number {
    return this.#block(slot).expiresAt[slot % BLOCK_SIZE] ?? ABSENT;
  }

  shardKey(slot: number): ShardKey {
    return this.#block(slot).shardKeys[slot % BLOCK_SIZE] ?? SERVER_WIDE;
  }

  /** A copy, in the order of `family.labels`. */
  labels(slot: number): readonly string[] {
    return this.#block(slot).labels(slot % BLOCK_SIZE);
  }

  label(slot: number, column: number): string {
    return this.#block(slot).label(slot % BLOCK_SIZE, column);
  }

  hasLabels(slot: number, labels: readonly string[]): boolean {
    return labels.every((label, column) => this.label(slot, column) === label);
  }

  #marks(slot: number): number {
    return this.#block(slot).marks[slot % BLOCK_SIZE] ?? 0;
  }

  #leave(slot: number, labels: readonly string[]): void {
    const { marks } = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    if (marks[at] === 0 || this.hasLabels(slot, labels)) return;
    marks[at] = 0;
    this.addEnded(labels);
  }

  #release(slot: number): void {
    const block = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    block.clearLabels(at);
    block.marks[at] = 0;
    this.#free.push(slot);
  }

  #block(slot: number): SeriesBlock {
    const block = this.#blocks[Math.floor(slot / BLOCK_SIZE)];
    if (block === undefined) throw new RangeError(`${this.family.name} has no slot ${slot}`);
    return block;
  }

  #extend(): number {
    let block = this.#blocks.at(-1);
    if (block === undefined || block.used === BLOCK_SIZE) {
      block?.filled();
      block = new SeriesBlock(this.family.labels.length);
      this.#blocks.push(block);
    }
    block.used++;
    return this.#slots++;
  }

  #setLabels(slot: number, labels: readonly string[], shardKey: ShardKey): void {
    const block = this.#block(slot);
    const at = slot % BLOCK_SIZE;
    block.setLabels(at, labels);
    block.shardKeys[at] = shardKey;
    block.labelVersions[at] = ++this.#labelVersion;
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

/**
 * Counts ended series that wait for a staleness marker. The bound matters if the receiver is down while objects are
 * renamed again and again.
 */
export class EndedSeries {
  readonly #max: number;
  count = 0;
  #dropped = 0;

  /** @param max Series of all families. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns false if there is no room. The caller drops the series. */
  take(): boolean {
    if (this.count >= this.#max) {
      this.#dropped++;
      return false;
    }
    this.count++;
    return true;
  }

  release(): void {
    this.count--;
  }

  /** Drops since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
