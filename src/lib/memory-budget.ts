/** Memory that several users share, by estimates. The bound leaves room for garbage. */
export class MemoryBudget {
  readonly maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** An empty share. */
  open(): MemoryShare {
    return new MemoryShare(this, (bytes) => {
      this.#heldBytes += bytes;
    });
  }

  /** Runs `work` with a temporary share. */
  async lend<Result>(work: (share: MemoryShare) => Promise<Result>): Promise<Result> {
    const share = this.open();
    try {
      return await work(share);
    } finally {
      share.set(0);
    }
  }
}

/** The memory of one user. */
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

  /** Whether all shares would fit if this one held `bytes`. */
  fits(bytes: number): boolean {
    return this.#budget.heldBytes - this.#bytes + bytes <= this.#budget.maxBytes;
  }

  /** Sets the size, whether it fits or not. */
  set(bytes: number): void {
    this.#change(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** Changes the size. Returns whether all shares fit. */
  add(bytes: number): boolean {
    this.set(this.#bytes + bytes);
    return this.fits(this.#bytes);
  }
}
