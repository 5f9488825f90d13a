/**
 * The specification's maximum, a half and a quarter of it; less only where the server refuses that many: 100 is what
 * one was seen to take for the default.
 */
const SIZES = [3000, 1500, 750, 300, 100] as const;
/** A page of this size that takes too long is no matter of its size. */
const MAX_STEP_FOR_TIME = 2;

/** Complete lists after which a larger page is tried. */
const MIN_LISTS_TO_GROW = 3;
const MAX_LISTS_TO_GROW = 96;

/**
 * How many objects to ask for at once: fewer after a timeout, more again after some complete lists. How many lists,
 * doubles whenever the larger page fails again: each such attempt costs the core server 25 seconds of work.
 */
export class PageSize {
  #step = 0;
  #listsToGrow = MIN_LISTS_TO_GROW;
  #completed = 0;
  /** The current size is larger than one that worked, and still has to prove itself. */
  #onTrial = false;
  /** Larger sizes are refused. */
  #firstStep = 0;

  get current(): number {
    return SIZES[this.#step] ?? SIZES[0];
  }

  /** A page of the current size took too long. False when there is no smaller one. */
  reduce(): boolean {
    if (this.#step >= MAX_STEP_FOR_TIME) return false;
    if (this.#onTrial) this.#listsToGrow = Math.min(this.#listsToGrow * 2, MAX_LISTS_TO_GROW);
    this.#onTrial = false;
    this.#completed = 0;
    this.#step++;
    return true;
  }

  /** The server refuses pages of the current size. False when there is no smaller one. */
  refuse(): boolean {
    if (this.#step === SIZES.length - 1) return false;
    this.#step++;
    this.#firstStep = this.#step;
    this.#onTrial = false;
    return true;
  }

  /** Sizes that were refused may be asked for again. */
  forgetRefusals(): void {
    if (this.#step === this.#firstStep) this.#step = 0;
    this.#firstStep = 0;
  }

  /** A whole list was read at the current size. */
  listCompleted(): void {
    this.#completed++;
    if (this.#completed < this.#listsToGrow) return;
    this.#completed = 0;
    if (this.#step > this.#firstStep) {
      this.#step--;
      this.#onTrial = true;
    } else {
      this.#onTrial = false;
      this.#listsToGrow = MIN_LISTS_TO_GROW;
    }
  }
}
