export const BLOCK_SIZE = 1_024;

/** Expiry of a series without a value. */
export const ABSENT = Number.NEGATIVE_INFINITY;

/** What the receiver knows about a series, as bits. */
export const MARKS = {
  /** The receiver has a sample. */
  pushed: 1,
  /** A staleness marker is on its way. */
  ending: 2,
  /** The series ended. The table keeps its labels for the staleness marker. */
  ended: 4,
} as const;

/** 1,024 series of a table in flat arrays. The rendered lines of a block stay valid until its version changes. */
export class SeriesBlock {
  /** Slots, free ones included. */
  used = 0;
  readonly labelVersions = new Uint32Array(BLOCK_SIZE);
  readonly shardKeys = new Uint32Array(BLOCK_SIZE);
  readonly marks = new Uint8Array(BLOCK_SIZE);
  readonly values = new Float64Array(BLOCK_SIZE);
  readonly expiresAt = new Float64Array(BLOCK_SIZE).fill(ABSENT);
  /** The table's version at the last visible change. */
  version = 0;
  /** Lower bound, monotonic ms. */
  nextExpiry = Number.POSITIVE_INFINITY;
  readonly #width: number;
  /** `#width` texts per series. An array per series would double the objects that V8 has to mark. */
  #labels: string[] = [];

  /** `width`: number of labels. */
  constructor(width: number) {
    this.#width = width;
  }

  /** A copy, in the order of `family.labels`. Empty texts if the slot is free again. */
  labels(at: number): string[] {
    return this.#labels.slice(at * this.#width, (at + 1) * this.#width);
  }

  label(at: number, column: number): string {
    return this.#labels[at * this.#width + column] ?? "";
  }

  setLabels(at: number, labels: readonly string[]): void {
    for (const [column, label] of labels.entries()) this.#labels[at * this.#width + column] = label;
  }

  /** All slots have labels. A growing array keeps room for half as many again. */
  filled(): void {
    this.#labels = this.#labels.slice();
  }

  clearLabels(at: number): void {
    this.#labels.fill("", at * this.#width, (at + 1) * this.#width);
  }
}
