/** Series in a full block; a power of two. */
export const BLOCK_SIZE = 1_024;
const FIRST_CAPACITY = 16;

/** Marks a series without a value: it expired before anything was. */
export const ABSENT = Number.NEGATIVE_INFINITY;

/** What a receiver to which series are pushed knows of one, as bits. */
export const MARKS = {
  /** It was sent a value. */
  pushed: 1,
  /** It is being told that the series has ended. */
  ending: 2,
  /** The series is none of ours any more: its labels are kept until the receiver knows that it has ended. */
  left: 4,
} as const;

/**
 * Up to 1,024 series of a table in flat arrays. A table grows by blocks, so that nothing large is ever copied, and what
 * follows from a block (its lines of the page) stays valid until its version changes.
 */
export class SeriesBlock {
  /** Numbers of label values, one series after the other. */
  labels: Uint32Array;
  /** When each series got its labels, as the table counts. */
  labelledAt: Uint32Array;
  shardKeys: Uint32Array;
  /** See `MARKS`. */
  marks: Uint8Array;
  values: Float64Array;
  /** Monotonic ms. */
  expiresAt: Float64Array;
  /** Series in use or free. */
  used = 0;
  /** The table's version at the last change that a reader could see. */
  version = 0;
  /** Lower bound of the next moment (monotonic ms) at which a value expires. */
  nextExpiry = Number.POSITIVE_INFINITY;
  readonly #width: number;

  /** `width`: labels per series. `capacity`: series that there is room for at first. */
  constructor(width: number, capacity = FIRST_CAPACITY) {
    this.#width = width;
    this.labels = new Uint32Array(capacity * width);
    this.labelledAt = new Uint32Array(capacity);
    this.shardKeys = new Uint32Array(capacity);
    this.marks = new Uint8Array(capacity);
    this.values = new Float64Array(capacity);
    this.expiresAt = new Float64Array(capacity).fill(ABSENT);
  }

  get isFull(): boolean {
    return this.used === BLOCK_SIZE;
  }

  /** Makes room for one series more, and returns where it is. */
  extend(): number {
    if (this.used === this.values.length) this.#grow(Math.min(this.used * 4, BLOCK_SIZE));
    return this.used++;
  }

  #grow(capacity: number): void {
    this.labels = copied(this.labels, new Uint32Array(capacity * this.#width));
    this.labelledAt = copied(this.labelledAt, new Uint32Array(capacity));
    this.shardKeys = copied(this.shardKeys, new Uint32Array(capacity));
    this.marks = copied(this.marks, new Uint8Array(capacity));
    this.values = copied(this.values, new Float64Array(capacity));
    this.expiresAt = copied(this.expiresAt, new Float64Array(capacity).fill(ABSENT));
  }
}

function copied<Numbers extends Uint8Array | Uint32Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
