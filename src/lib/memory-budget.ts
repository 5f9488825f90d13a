/**
 * Memory that several users share: each says what it holds, by estimates, and learns whether all of them together keep
 * within the bound. The garbage collector frees what nothing refers to only when it runs, so the bound has to leave room.
 */
export class MemoryBudget {
  /** Infinity: without a bound. */
  readonly maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.maxBytes = maxBytes;
  }

  /** What all shares hold. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** A share that holds nothing yet. */
  open(): MemoryShare {
    return new MemoryShare(this, (bytes) => {
      this.#heldBytes += bytes;
    });
  }

  /** Runs `work` with a share that ends with it. */
  async lend<Result>(work: (share: MemoryShare) => Promise<Result>): Promise<Result> {
    const share = this.open();
    try {
      return await work(share);
    } finally {
      share.set(0);
    }
  }
}

/** What one user holds of the budget. */
export class MemoryShare {
  readonly #budget: MemoryBudget;
  readonly #change: (bytes: number) => void;
  #bytes = 0;

  constructor(budget: MemoryBudget, change: (bytes: number) => void) {
    this.#budget = budget;
    this.#change = change;
  }

  get maxBytes(): number {
    return this.#budget.maxBytes;
  }

  /** Whether all shares would keep within the budget if this one held `bytes`. */
  fits(bytes: number): boolean {
    return this.#budget.heldBytes - this.#bytes + bytes <= this.#budget.maxBytes;
  }

  /** From now on this share holds `bytes`, whether that fits or not. */
  set(bytes: number): void {
    this.#change(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** The same for what it held and `bytes`, which may be negative. Returns whether all shares keep within the budget. */
  add(bytes: number): boolean {
    this.set(this.#bytes + bytes);
    return this.fits(this.#bytes);
  }
}
