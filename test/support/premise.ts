import { expect } from "vitest";

/** Part of the runs. */
const LEAST = 0.1;

/** Counts the runs of a property in which its premise holds. A property whose premise rarely holds proves nothing. */
export class Premise {
  #runs = 0;
  #held = 0;

  /** Call it once in each run. Returns its argument. */
  holds(isTrue: boolean): boolean {
    this.#runs++;
    if (isTrue) this.#held++;
    return isTrue;
  }

  /** Call it after `fc.assert`. */
  expectOften(): void {
    expect(this.#held, `the premise held in ${this.#held} of ${this.#runs} runs`).toBeGreaterThan(LEAST * this.#runs);
  }
}
