import type { Logger } from "pino";
import type { Schedule } from "../config/schedule.ts";
import type { Clock } from "../lib/clock.ts";
import type { Timetable } from "./collector.ts";
import { CronTimetable } from "./cron-timetable.ts";

/** Ticks and waits of many servers fall on multiples of this time, so that their polls share a wake-up of the process. */
export const STEP_MS = 500;

/**
 * `phase`, from 0 to below 1: by which part of an interval its ticks come before those of others; 0: as it began. Cron expressions say their
 * times themselves.
 */
export function createTimetable(schedule: Schedule, clock: Clock, log: Logger, phase = 0): Timetable {
  return schedule.kind === "interval"
    ? new IntervalTimetable(schedule.everyMs, clock, phase)
    : new CronTimetable(schedule.expression, clock, log);
}

/** Every so many milliseconds of the monotonic clock, without drift. */
class IntervalTimetable implements Timetable {
  readonly #everyMs: number;
  readonly #clock: Clock;
  #stopping = new AbortController();
  readonly #phase: number;
  #dueAt: number;

  constructor(everyMs: number, clock: Clock, phase: number) {
    this.#everyMs = everyMs;
    this.#clock = clock;
    this.#phase = phase;
    this.#dueAt = this.#phased() + everyMs;
  }

  start(tick: () => void, handledUntil = this.#phased()): boolean {
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

  /**
   * As if the tick before had been earlier: with a phase, when its turn among all was by the monotonic clock, so that all who have
   * it tick together, whenever they began.
   */
  #phased(): number {
    const now = this.#clock.monotonic();
    if (this.#phase === 0) return now;
    const untilTurn = Math.round(((1 - this.#phase) * this.#everyMs) / STEP_MS) * STEP_MS;
    return Math.floor((now - untilTurn) / this.#everyMs) * this.#everyMs + untilTurn;
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
