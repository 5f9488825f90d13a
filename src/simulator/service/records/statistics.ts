import type { SimChannel, World } from "../../world/model.ts";
import { flat } from "./flat.ts";

const SLOT_MS = 6 * 3_600_000;
const SAMPLES = 4;

/**
 * Minimum, maximum and average of a channel's raw values over about the last day. Over which time live servers take
 * them was never established. They come from a few samples that are taken anew every six hours, and from the values
 * sent since: a page of 3,000 channels must not ask the world 15,000 times.
 */
export class Statistics {
  #slot = Number.NaN;
  #minimum = 0;
  #maximum = 0;
  #average = 0;
  #json = "";

  /** Members of a measurement, JSON. The current value is always between minimum and maximum. */
  render(world: World, channel: SimChannel, value: number, now: number): string {
    const slot = Math.floor(now / SLOT_MS);
    if (slot !== this.#slot) this.#sample(world, channel, value, slot);
    else if (value < this.#minimum || value > this.#maximum) this.#extend(value);
    return this.#json;
  }

  #sample(world: World, channel: SimChannel, current: number, slot: number): void {
    this.#slot = slot;
    const values = [current];
    for (let i = 0; i < SAMPLES; i++) {
      const value = world.lastMeasurement(channel, (slot - i) * SLOT_MS)?.value;
      if (value !== undefined && value !== null) values.push(value);
    }
    this.#minimum = Math.min(...values);
    this.#maximum = Math.max(...values);
    this.#average = values.reduce((sum, value) => sum + value, 0) / values.length;
    this.#extend(current);
  }

  #extend(value: number): void {
    this.#minimum = Math.min(this.#minimum, value);
    this.#maximum = Math.max(this.#maximum, value);
    this.#json = flat(`"minimum":${this.#minimum}`, `,"maximum":${this.#maximum}`, `,"average":${this.#average}`);
  }
}
