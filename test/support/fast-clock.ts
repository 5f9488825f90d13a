import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { CLOCK_START } from "./manual-clock.ts";

/** Runs faster than the machine's clock, for real sockets that wait for minutes. */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #began = systemClock.monotonic();
  readonly #start: number;

  constructor(speed: number, start = CLOCK_START) {
    this.#speed = speed;
    this.#start = start;
  }

  now(): number {
    return this.#start + this.monotonic();
  }

  monotonic(): number {
    return (systemClock.monotonic() - this.#began) * this.#speed;
  }

  after(ms: number, act: () => void): () => void {
    return systemClock.after(ms / this.#speed, act);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms / this.#speed, signal);
  }
}
