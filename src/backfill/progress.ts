import type { Clock } from "../lib/clock.ts";

export interface BackfillProgress {
  /** @param done Of an earlier run. */
  begin(what: "sensors" | "days" | "values", total: number, done: number): void;
  advance(done: number): void;
  /** Ends the display. */
  end(): void;
}

/** An earlier outage says nothing about the time left. */
const LOOK_BACK_MS = 60_000;
const MARK_EVERY_MS = 1_000;

/** For an estimate of the time left. */
export class ProgressRate {
  readonly #clock: Clock;
  readonly #marks: { readonly at: number; readonly done: number }[];

  constructor(clock: Clock, done: number) {
    this.#clock = clock;
    this.#marks = [{ at: clock.monotonic(), done }];
  }

  /** `undefined` while unknown. */
  perSecond(done: number): number | undefined {
    const now = this.#clock.monotonic();
    while (this.#marks[1] !== undefined && now - this.#marks[1].at >= LOOK_BACK_MS) this.#marks.shift();
    if (now - (this.#marks.at(-1)?.at ?? now) >= MARK_EVERY_MS) this.#marks.push({ at: now, done });
    const [first] = this.#marks;
    if (first === undefined || first.at === now || first.done === done) return undefined;
    return ((done - first.done) * 1000) / (now - first.at);
  }
}
