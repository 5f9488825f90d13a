import type { Clock } from "./clock.ts";
import { nextTurn } from "./next-turn.ts";

/** How long work may hold the event loop, and how many steps go by between looks at the clock. */
const SLICE_MS = 8;
const STEPS_PER_LOOK = 256;

/** Cuts long work into slices: scrapes and requests get the event loop in between. */
export class Slices {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #steps = 0;
  #sliceBegan: number;

  /** `signal` ends the work between two slices: what is waited for rejects with its reason. */
  constructor(clock: Clock, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#sliceBegan = clock.monotonic();
  }

  /** Call after each small step; wait for the promise, if there is one. */
  step(): Promise<void> | undefined {
    this.#steps++;
    return this.#steps % STEPS_PER_LOOK === 0 ? this.look() : undefined;
  }

  /** As `step`, for steps that take long themselves. */
  look(): Promise<void> | undefined {
    if (this.#clock.monotonic() - this.#sliceBegan < SLICE_MS) return undefined;
    return this.#yield();
  }

  async #yield(): Promise<void> {
    await nextTurn();
    this.#signal?.throwIfAborted();
    this.#sliceBegan = this.#clock.monotonic();
  }
}
