import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { CLOCK_START } from "./manual-clock.ts";

/** The system clock, except that the wall clock begins at `CLOCK_START` when it is first read. Simulated worlds are then the same in each run. */
export class FixedStartClock implements Clock {
  #shift: number | undefined;

  now(): number {
    const now = systemClock.now();
    this.#shift ??= CLOCK_START - now;
    return now + this.#shift;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(ms: number, act: () => void): () => void {
    return systemClock.after(ms, act);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }
}
