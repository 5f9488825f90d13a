import type { Logger } from "pino";
import { CronTimes } from "../config/cron-times.ts";
import type { Schedule } from "../config/schedule.ts";
import type { Clock } from "../lib/clock.ts";
import type { Runtime } from "../lib/runtime.ts";
import { COLLECTORS, type CollectorName } from "./collector.ts";

type CronSchedule = Extract<Schedule, { kind: "cron" }>;
type IntervalSchedule = Extract<Schedule, { kind: "interval" }>;

/** Ticks and waits of all servers are multiples of it, so that their polls share a wake-up of the process. */
export const STEP_MS = 500;

/** Decides when a collector is due. */
export interface Timetable {
  readonly schedule: Schedule;
  /**
   * @param tick Must not throw.
   * @param lastTickAt Of a timetable with the same schedule, which this one continues.
   * @returns whether a tick was due since `lastTickAt`; the timetable does not repeat it
   */
  start(tick: () => void, lastTickAt?: number): boolean;
  stop(): void;
  /** Ticks up to this time were handled: monotonic ms for an interval, ms since the epoch for cron. */
  readonly lastTickAt: number;
  /** Milliseconds until the next tick. */
  msToNext(): number;
  /** Milliseconds until the third tick from now. */
  msToThird(): number;
  /** Milliseconds between the next two ticks. */
  period(): number;
}

/** A collector without a schedule does not run. */
export type Schedules = { readonly [Name in CollectorName]?: Schedule | undefined };

export type Timetables = ReadonlyMap<CollectorName, Timetable>;

/** @param phase see `createTimetable` */
export function createTimetables(
  schedules: Schedules,
  { clock, log }: Pick<Runtime, "clock" | "log">,
  phase: number,
): Timetables {
  const timetables = COLLECTORS.flatMap(({ name }) => {
    const schedule = schedules[name];
    return schedule === undefined ? [] : [[name, createTimetable(schedule, clock, log, phase)] as const];
  });
  return new Map(timetables);
}

/** `phase`: part of an interval, from 0 to below 1; 0: ticks count from the start. Cron schedules have none. */
export function createTimetable(schedule: Schedule, clock: Clock, log: Logger, phase = 0): Timetable {
  return schedule.kind === "interval"
    ? new IntervalTimetable(schedule, clock, phase)
    : new CronTimetable(schedule, clock, log);
}

/** Every so many milliseconds of the monotonic clock, without drift. */
class IntervalTimetable implements Timetable {
  readonly schedule: IntervalSchedule;
  readonly #clock: Clock;
  #cancelTimer: (() => void) | undefined;
  readonly #phase: number;
  #dueAt: number;

  constructor(schedule: IntervalSchedule, clock: Clock, phase: number) {
    this.schedule = schedule;
    this.#clock = clock;
    this.#phase = phase;
    this.#dueAt = this.#phased() + this.#everyMs;
  }

  get #everyMs(): number {
    return this.schedule.everyMs;
  }

  start(tick: () => void, lastTickAt = this.#phased()): boolean {
    this.stop();
    this.#dueAt = lastTickAt + this.#everyMs;
    const late = this.#clock.monotonic() - this.#dueAt;
    if (late >= 0) this.#passOver(late);
    this.#wait(tick);
    return late >= 0;
  }

  /** Monotonic. */
  get lastTickAt(): number {
    return this.#dueAt - this.#everyMs;
  }

  stop(): void {
    this.#cancelTimer?.();
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

  #wait(tick: () => void): void {
    this.#cancelTimer = this.#clock.after(this.msToNext(), () => {
      const late = this.#clock.monotonic() - this.#dueAt;
      // A timer may fire a fraction early. After a suspend, missed ticks are dropped.
      const isDue = late >= -1;
      if (isDue) this.#passOver(late);
      // Before the tick, which may stop the timetable.
      this.#wait(tick);
      if (isDue) tick();
    });
  }

  #passOver(late: number): void {
    this.#dueAt += this.#everyMs * Math.max(1, Math.ceil((late + 1) / this.#everyMs));
  }
}

const DAY_MS = 86_400_000;
/** An administrator may set the wall clock. */
const MAX_WAIT_MS = 30_000;
/** NTP sets clocks back by less, which repeats no tick. */
const MIN_SET_BACK_MS = 1_000;

/**
 * Ticks at the times of a cron expression, by the wall clock and the time zone of the process. Waits are short, because the
 * clock may be set and summer time may start or end.
 */
class CronTimetable implements Timetable {
  readonly schedule: CronSchedule;
  readonly #times: CronTimes;
  readonly #clock: Clock;
  readonly #log: Logger;
  #cancelTimer: (() => void) | undefined;
  #lastTickAt: number;

  constructor(schedule: CronSchedule, clock: Clock, log: Logger) {
    this.schedule = schedule;
    this.#times = new CronTimes(schedule.expression);
    this.#clock = clock;
    this.#log = log;
    this.#lastTickAt = clock.now();
  }

  start(tick: () => void, lastTickAt = this.#clock.now()): boolean {
    this.stop();
    const now = this.#clock.now();
    const wasDue = lastTickAt < now && nextTick(this.#times, lastTickAt) <= now;
    this.#lastTickAt = now;
    this.#wait(tick, this.#clock.monotonic());
    return wasDue;
  }

  get lastTickAt(): number {
    return this.#lastTickAt;
  }

  stop(): void {
    this.#cancelTimer?.();
  }

  msToNext(): number {
    return this.#untilTick(1);
  }

  msToThird(): number {
    return this.#untilTick(3);
  }

  period(): number {
    return this.#untilTick(2) - this.#untilTick(1);
  }

  #untilTick(ordinal: number): number {
    const now = this.#clock.now();
    let at = now;
    for (let ticks = 0; ticks < ordinal; ticks++) at = nextTick(this.#times, at);
    return at - now;
  }

  #wait(tick: () => void, handledMonotonic: number): void {
    const longest = Math.min(MAX_WAIT_MS, this.#times.closestMs);
    // A timer may fire a fraction early: always wait.
    const ms = Math.max(1, Math.min(nextTick(this.#times, this.#lastTickAt) - this.#clock.now(), longest));
    this.#cancelTimer = this.#clock.after(ms, () => this.#look(tick, handledMonotonic));
  }

  #look(tick: () => void, handledMonotonic: number): void {
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    if (now < this.#lastTickAt && now > this.#lastTickAt - MIN_SET_BACK_MS) {
      this.#wait(tick, handledMonotonic);
      return;
    }
    // Set back: repeat the times from there on.
    const due = now < this.#lastTickAt ? Number.POSITIVE_INFINITY : nextTick(this.#times, this.#lastTickAt);
    if (due <= now) this.#logMissed(due, now, now - this.#lastTickAt - (monotonic - handledMonotonic));
    this.#lastTickAt = now;
    // Before the tick, which may stop the timetable.
    this.#wait(tick, monotonic);
    if (due <= now) tick();
  }

  /** One run replaces all that were due. */
  #logMissed(due: number, now: number, aheadMs: number): void {
    const missed = this.#times.count(wallTime(due), wallTime(now));
    if (missed <= 0) return;
    const fields = { schedule: this.schedule.expression, missed };
    const cause =
      aheadMs >= MIN_SET_BACK_MS ? `the clock jumped ahead by ${seconds(aheadMs)}` : "the process was blocked";
    this.#log.warn(fields, `skipped ${missed} ${missed === 1 ? "run" : "runs"} of a cron schedule: ${cause}`);
  }
}

/**
 * The next time of the expression, or Infinity. Times that summer time skips are due together at its start; times that
 * occur twice at its end are due twice.
 * @param after Milliseconds since the epoch, like the result.
 */
function nextTick(times: CronTimes, after: number): number {
  let from = after;
  let offset = zoneOffset(from);
  let wall = from + offset;
  for (;;) {
    const next = times.next(wall);
    if (next === undefined) return Number.POSITIVE_INFINITY;
    const change = firstChange(from, next - offset);
    if (change === undefined) return next - offset;
    offset = zoneOffset(change);
    if (next < change + offset) return change;
    from = change;
    wall = change + offset - 1;
  }
}

/** The first moment after `from`, up to `to`, with another offset than at `from`. */
function firstChange(from: number, to: number): number | undefined {
  const offset = zoneOffset(from);
  for (let low = from; low < to; low += DAY_MS) {
    let high = Math.min(low + DAY_MS, to);
    if (zoneOffset(high) === offset) continue;
    for (let same = low; high - same > 1; ) {
      const middle = Math.floor((same + high) / 2);
      if (zoneOffset(middle) === offset) same = middle;
      else high = middle;
    }
    return high;
  }
  return undefined;
}

function wallTime(at: number): number {
  return at + zoneOffset(at);
}

/** Local time minus UTC, milliseconds. */
function zoneOffset(at: number): number {
  return -new Date(at).getTimezoneOffset() * 60_000;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
