/** The specification's maximum, a half and a quarter of it. */
const SIZES = [3000, 1500, 750] as const;

const FIRST_PATIENCE = 3;
const LONGEST_PATIENCE = 96;

/**
 * How many objects to ask for at once: fewer after a timeout, more again after some complete lists. How many lists,
 * doubles whenever the larger page fails again: each such attempt costs the core server 25 seconds of work.
 */
export class PageSize {
  #step = 0;
  #patience = FIRST_PATIENCE;
  #completed = 0;
  /** The current size is larger than one that worked, and still has to prove itself. */
  #onTrial = false;

  get current(): number {
    return SIZES[this.#step] ?? SIZES[0];
  }

  /** A page of the current size took too long. False when there is no smaller one. */
  reduce(): boolean {
    if (this.#step === SIZES.length - 1) return false;
    if (this.#onTrial) this.#patience = Math.min(this.#patience * 2, LONGEST_PATIENCE);
    this.#onTrial = false;
    this.#completed = 0;
    this.#step++;
    return true;
  }

  /** A whole list was read at the current size. */
  listCompleted(): void {
    this.#completed++;
    if (this.#completed < this.#patience) return;
    this.#completed = 0;
    if (this.#step > 0) {
      this.#step--;
      this.#onTrial = true;
    } else {
      this.#onTrial = false;
      this.#patience = FIRST_PATIENCE;
    }
  }
}
