/** Series in a block. */
export const BLOCK_SIZE = 1_024;

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
 * 1,024 series of a table in flat arrays. A table grows by blocks, so that nothing large is ever copied, and what
 * follows from a block (its lines of the page) stays valid until its version changes.
 */
export class SeriesBlock {
  /** Values for the labels of the family, in their order; none where a place is free. */
  readonly labels: (readonly string[])[] = [];
  /** When each series got its labels, as the table counts. */
  readonly labelledAt = new Uint32Array(BLOCK_SIZE);
  readonly shardKeys = new Uint32Array(BLOCK_SIZE);
  /** See `MARKS`. */
  readonly marks = new Uint8Array(BLOCK_SIZE);
  readonly values = new Float64Array(BLOCK_SIZE);
  /** Monotonic ms. */
  readonly expiresAt = new Float64Array(BLOCK_SIZE).fill(ABSENT);
  /** The table's version at the last change that a reader could see. */
  version = 0;
  /** Lower bound of the next moment (monotonic ms) at which a value expires. */
  nextExpiry = Number.POSITIVE_INFINITY;

  /** Places in use or free. */
  get used(): number {
    return this.labels.length;
  }
}
