/**
 * Where a request is filled up to. Larger ones save nothing worth having, while putting one together keeps everything
 * else waiting: about 5 ms for this much.
 */
const USUAL_BYTES = 512 * 1024;

/** Room for rows that are wordier than those before. */
const HEADROOM = 0.9;

/** A receiver that finds even this too large means something else. */
const SMALLEST_LIMIT = 16 * 1024;

/** Requests below this say little about the size of points: most of it is the resource. */
const TELLING_BYTES = 8 * 1024;

/**
 * How much goes into one request. What points will take on the wire is estimated from the lengths of their texts (see
 * estimatePointSize) and corrected by what the last request took; the body that was really made is the one that
 * counts, so a wrong estimate costs time, never a limit.
 */
export class RequestSize {
  #limit: number;
  #bytesPerEstimated = 2;

  /** @param maxBytes the most that a body may have, before compression */
  constructor(maxBytes: number) {
    this.#limit = maxBytes;
  }

  fits(bytes: number): boolean {
    return bytes <= this.#limit;
  }

  /** Estimated bytes of the points to put into the next request. */
  get maxEstimate(): number {
    return Math.min(USUAL_BYTES, this.#limit * HEADROOM) / this.#bytesPerEstimated;
  }

  /** Points that were estimated at this size took so many bytes. */
  measured(estimate: number, bytes: number): void {
    if (bytes >= TELLING_BYTES) this.#bytesPerEstimated = bytes / estimate;
  }

  /** The receiver found so many bytes too large: it, or a proxy before it, has a lower limit than the protocol. */
  refused(bytes: number): void {
    this.#limit = Math.max(SMALLEST_LIMIT, Math.floor(Math.min(bytes, this.#limit) / 2));
  }
}
