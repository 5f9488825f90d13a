import { flat } from "./flat.ts";

/**
 * Minimum, maximum and average of a channel's raw values. Over which time live servers take them was never
 * established; here it is over the values sent so far, as asking the world for a day of every channel costs seconds.
 */
export class Statistics {
  #minimum = Number.POSITIVE_INFINITY;
  #maximum = Number.NEGATIVE_INFINITY;
  #sum = 0;
  #count = 0;
  #json = "";

  /** Members of a measurement, JSON, with this value taken in. Written anew only when a bound moves, to keep pages cheap. */
  include(value: number): string {
    this.#sum += value;
    this.#count++;
    if (value < this.#minimum || value > this.#maximum) {
      this.#minimum = Math.min(this.#minimum, value);
      this.#maximum = Math.max(this.#maximum, value);
      const average = Math.min(this.#maximum, Math.max(this.#minimum, this.#sum / this.#count));
      this.#json = flat(`"minimum":${this.#minimum}`, `,"maximum":${this.#maximum}`, `,"average":${average}`);
    }
    return this.#json;
  }
}
