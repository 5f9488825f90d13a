import type { MetricFamily } from "../mapping/metric-table.ts";

/** Renders the label part of a series once, when the series appears: `{server="hq",id="40"}`. */
export type LabelRenderer = (family: MetricFamily, values: readonly string[]) => string;

/** Marks a slot without a value: it expired before anything was. */
const ABSENT = Number.NEGATIVE_INFINITY;
const FIRST_CAPACITY = 64;

/**
 * The series of one family: labels in ordinary arrays, written once; values and expiry in flat arrays, because a
 * poll of 200,000 channels must not allocate per sample. A series is addressed by its slot number.
 */
export class SeriesTable {
  readonly family: MetricFamily;
  readonly #renderLabels: LabelRenderer;
  readonly #labels: (readonly string[])[] = [];
  readonly #labelText: string[] = [];
  readonly #free: number[] = [];
  #values = new Float64Array(FIRST_CAPACITY);
  #expiresAt = new Float64Array(FIRST_CAPACITY);
  #nextExpiry = Number.POSITIVE_INFINITY;
  #size = 0;
  #version = 0;

  constructor(family: MetricFamily, renderLabels: LabelRenderer) {
    this.family = family;
    this.#renderLabels = renderLabels;
  }

  /** Slots in use or free; iterate from 0 to here and ask `isPresent`. */
  get slots(): number {
    return this.#labels.length;
  }

  /** Series that have a value now. */
  get size(): number {
    return this.#size;
  }

  /** Rises with each change that a reader could see. */
  get version(): number {
    return this.#version;
  }

  /** Lower bound of the next moment (monotonic ms) at which a value expires. */
  get nextExpiry(): number {
    return this.#nextExpiry;
  }

  /** Adds a series without a value. `labels` are the values for `family.labels`, in that order. */
  add(labels: readonly string[]): number {
    this.#checkLabels(labels);
    const slot = this.#free.pop() ?? this.#labels.length;
    if (slot >= this.#values.length) this.#grow();
    this.#labels[slot] = labels;
    this.#labelText[slot] = this.#renderLabels(this.family, labels);
    this.#values[slot] = 0;
    this.#expiresAt[slot] = ABSENT;
    return slot;
  }

  /** Gives the series other labels; its value stays. */
  relabel(slot: number, labels: readonly string[]): void {
    this.#checkLabels(labels);
    this.#labels[slot] = labels;
    this.#labelText[slot] = this.#renderLabels(this.family, labels);
    if (this.isPresent(slot)) this.#version++;
  }

  /** Gives the series a value until `expiresAt` (monotonic ms). */
  set(slot: number, value: number, expiresAt: number = Number.POSITIVE_INFINITY): void {
    if (this.#expiresAt[slot] === ABSENT) {
      this.#size++;
      this.#version++;
    } else if (!Object.is(this.#values[slot], value)) {
      this.#version++;
    }
    this.#values[slot] = value;
    this.#expiresAt[slot] = expiresAt;
    if (expiresAt < this.#nextExpiry) this.#nextExpiry = expiresAt;
  }

  /** Takes the value away; the series stays known. */
  withdraw(slot: number): void {
    if (this.#expiresAt[slot] === ABSENT) return;
    this.#expiresAt[slot] = ABSENT;
    this.#size--;
    this.#version++;
  }

  /** Forgets the series; its slot will be used again. */
  remove(slot: number): void {
    this.withdraw(slot);
    this.#labels[slot] = [];
    this.#labelText[slot] = "";
    this.#free.push(slot);
  }

  /** Withdraws every value whose time has come. */
  expire(now: number): void {
    if (now < this.#nextExpiry) return;
    let next = Number.POSITIVE_INFINITY;
    for (let slot = 0; slot < this.#labels.length; slot++) {
      const at = this.#expiresAt[slot] ?? ABSENT;
      if (at === ABSENT) continue;
      if (at <= now) this.withdraw(slot);
      else if (at < next) next = at;
    }
    this.#nextExpiry = next;
  }

  isPresent(slot: number): boolean {
    return this.#expiresAt[slot] !== ABSENT;
  }

  /** The value last set; meaningless unless `isPresent`. */
  value(slot: number): number {
    return this.#values[slot] ?? Number.NaN;
  }

  labels(slot: number): readonly string[] {
    return this.#labels[slot] ?? [];
  }

  labelText(slot: number): string {
    return this.#labelText[slot] ?? "";
  }

  #checkLabels(labels: readonly string[]): void {
    if (labels.length !== this.family.labels.length) {
      throw new RangeError(`${this.family.name} has ${this.family.labels.length} labels, not ${labels.length}`);
    }
  }

  #grow(): void {
    const capacity = this.#values.length * 2;
    const values = new Float64Array(capacity);
    values.set(this.#values);
    this.#values = values;
    const expiresAt = new Float64Array(capacity);
    expiresAt.set(this.#expiresAt);
    this.#expiresAt = expiresAt;
  }
}
