import type { Logger } from "pino";
import type { Schedule } from "../config/schedule.ts";
import type { Clock } from "../lib/clock.ts";
import type { Timetable } from "./collector.ts";
import { CronTimetable } from "./cron-timetable.ts";

export function createTimetable(schedule: Schedule, clock: Clock, log: Logger): Timetable {
  return schedule.kind === "interval"
    ? new IntervalTimetable(schedule.everyMs, clock)
    : new CronTimetable(schedule.expression, clock, log);
}

/** Every so many milliseconds of the monotonic clock, without drift. */
class IntervalTimetable implements Timetable {
  readonly #everyMs: number;
  readonly #clock: Clock;
  #stopping = new AbortController();
  #dueAt: number;

  constructor(everyMs: number, clock: Clock) {
    this.#everyMs = everyMs;
    this.#clock = clock;
    this.#dueAt = clock.monotonic() + everyMs;
  }

  start(tick: () => void, handledUntil = this.#clock.monotonic()): boolean {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    this.#dueAt = handledUntil + this.#everyMs;
    const late = this.#clock.monotonic() - this.#dueAt;
    if (late >= 0) this.#passOver(late);
    void this.#tickUntil(this.#stopping.signal, tick);
    return late >= 0;
  }

  /** Monotonic. */
  get handledUntil(): number {
    return this.#dueAt - this.#everyMs;
  }

  stop(): void {
    this.#stopping.abort();
  }

  untilNext(): number {
    return Math.max(0, this.#dueAt - this.#clock.monotonic());
  }

  untilThird(): number {
    return 3 * this.#everyMs;
  }

  period(): number {
    return this.#everyMs;
  }

  async #tickUntil(stopped: AbortSignal, tick: () => void): Promise<void> {
    while (!stopped.aborted) {
      // `sleep` rejects only because of the signal.
      await this.#clock.sleep(this.untilNext(), stopped).catch(() => undefined);
      if (stopped.aborted) return;
      const late = this.#clock.monotonic() - this.#dueAt;
      // A timer may fire a fraction early. After a suspended machine the ticks of the past are not made up for.
      if (late < -1) continue;
      this.#passOver(late);
      tick();
    }
  }

  #passOver(late: number): void {
    this.#dueAt += this.#everyMs * Math.max(1, Math.ceil((late + 1) / this.#everyMs));
  }
}
