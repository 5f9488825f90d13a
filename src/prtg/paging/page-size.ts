/** The maximum of the specification. */
export const LARGEST_PAGE = 3_000;
/** A half and a quarter. Smaller pages only after a refusal: one server accepts 100. */
const SIZES = [LARGEST_PAGE, 1500, 750, 300, 100] as const;
/** Smaller pages do not help against timeouts. */
const MAX_STEP_FOR_TIME = 2;

/** Complete lists before a larger page is tried. */
const MIN_LISTS_TO_GROW = 3;
const MAX_LISTS_TO_GROW = 96;

/**
 * Reduces the page size after a timeout, and raises it after some complete lists. Waits twice as long if the larger
 * page fails again, because each attempt costs the server 25 seconds.
 */
export class PageSize {
  #step = 0;
  #listsToGrow = MIN_LISTS_TO_GROW;
  #completed = 0;
  /** The current size is larger than one that worked. */
  #onTrial = false;
  /** Larger sizes are refused. */
  #firstStep = 0;

  get current(): number {
    return SIZES[this.#step] ?? LARGEST_PAGE;
  }

  /** Call after a timeout. Returns false if there is no smaller size. */
  reduce(): boolean {
    if (this.#step >= MAX_STEP_FOR_TIME) return false;
    if (this.#onTrial) this.#listsToGrow = Math.min(this.#listsToGrow * 2, MAX_LISTS_TO_GROW);
    this.#onTrial = false;
    this.#completed = 0;
    this.#step++;
    return true;
  }

  /** Call after a refusal. Returns false if there is no smaller size. */
  refuse(): boolean {
    if (this.#step === SIZES.length - 1) return false;
    this.#step++;
    this.#firstStep = this.#step;
    this.#onTrial = false;
    return true;
  }

  forgetRefusals(): void {
    if (this.#step === this.#firstStep) this.#step = 0;
    this.#firstStep = 0;
  }

  recordList(): void {
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
