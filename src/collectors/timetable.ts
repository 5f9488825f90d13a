import type { Logger } from "pino";
import type { Schedule } from "../config/schedule.ts";
import type { Clock } from "../lib/clock.ts";
import type { Timetable } from "./collector.ts";
import { CronTimetable } from "./cron-timetable.ts";

/** Ticks and waits of all servers are multiples of it, so that their polls share a wake-up of the process. */
export const STEP_MS = 500;

/** `phase`: part of an interval, from 0 to below 1; 0: ticks count from the start. Cron schedules have none. */
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

  start(tick: () => void, lastTickAt = this.#phased()): boolean {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    this.#dueAt = lastTickAt + this.#everyMs;
    const late = this.#clock.monotonic() - this.#dueAt;
    if (late >= 0) this.#passOver(late);
    void this.#tickUntil(this.#stopping.signal, tick);
    return late >= 0;
  }

  /** Monotonic. */
  get lastTickAt(): number {
    return this.#dueAt - this.#everyMs;
  }

  stop(): void {
    this.#stopping.abort();
  }

  msToNext(): number {
    return Math.max(0, this.#dueAt - this.#clock.monotonic());
  }

  msToThird(): number {
    return 3 * this.#everyMs;
  }

  period(): number {
    return this.#everyMs;
  }

  /** The last tick. With a phase, a multiple of the interval on the monotonic clock, so that servers with one phase tick together. */
  #phased(): number {
    const now = this.#clock.monotonic();
    if (this.#phase === 0) return now;
    const untilTurn = Math.round(((1 - this.#phase) * this.#everyMs) / STEP_MS) * STEP_MS;
    return Math.floor((now - untilTurn) / this.#everyMs) * this.#everyMs + untilTurn;
  }

  async #tickUntil(stopped: AbortSignal, tick: () => void): Promise<void> {
    while (!stopped.aborted) {
      // `sleep` rejects only because of the signal.
      await this.#clock.sleep(this.msToNext(), stopped).catch(() => undefined);
      if (stopped.aborted) return;
      const late = this.#clock.monotonic() - this.#dueAt;
      // A timer may fire a fraction early. After a suspend, missed ticks are dropped.
      if (late < -1) continue;
      this.#passOver(late);
      tick();
    }
  }

  #passOver(late: number): void {
    this.#dueAt += this.#everyMs * Math.max(1, Math.ceil((late + 1) / this.#everyMs));
  }
}

const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/** Servers with one phase: their series are neighbours in the store, and one refresh of the page renders all. */
const TOGETHER = 8;

/**
 * Spreads the polls of servers over the period: each phase halves one of the widest gaps. Otherwise all polls start together,
 * scrapes wait for seconds, and hundreds of unfinished answers are in memory.
 */
export class Phases {
  #count = 0;

  /** From 0, for the first servers, to below 1. */
  next(): number {
    return (GOLDEN_RATIO * Math.floor(this.#count++ / TOGETHER)) % 1;
  }
}
