import type { Clock } from "../lib/clock.ts";

/** Told how far a run is. */
export interface BackfillProgress {
  /** `done` of `total` were done by an earlier run. */
  begin(what: "sensors" | "days" | "values", total: number, done: number): void;
  advance(done: number): void;
  /** Where nothing goes on for a while. */
  end(): void;
}

/** The rate is that of the last minute: a server that was away long ago says nothing about the time left. */
const LOOK_BACK_MS = 60_000;
const MARK_EVERY_MS = 1_000;

/** How quickly something goes on, for an estimate of the time left. */
export class ProgressRate {
  readonly #clock: Clock;
  readonly #marks: { readonly at: number; readonly done: number }[];

  constructor(clock: Clock, done: number) {
    this.#clock = clock;
    this.#marks = [{ at: clock.monotonic(), done }];
  }

  /** Per second, lately, with `done` now; undefined while that cannot be told. */
  perSecond(done: number): number | undefined {
    const now = this.#clock.monotonic();
    while (this.#marks[1] !== undefined && now - this.#marks[1].at >= LOOK_BACK_MS) this.#marks.shift();
    if (now - (this.#marks.at(-1)?.at ?? now) >= MARK_EVERY_MS) this.#marks.push({ at: now, done });
    const [first] = this.#marks;
    if (first === undefined || first.at === now || first.done === done) return undefined;
    return ((done - first.done) * 1000) / (now - first.at);
  }
}
