import type { Logger } from "pino";
import { CronTimes } from "../config/cron-times.ts";
import type { Clock } from "../lib/clock.ts";
import type { Timetable } from "./collector.ts";

const DAY_MS = 86_400_000;
/** An administrator may set the wall clock. */
const MAX_WAIT_MS = 30_000;
/** NTP sets clocks back by less, which repeats no tick. */
const MIN_SET_BACK_MS = 1_000;

/**
 * Ticks at the times of a cron expression, by the wall clock and the time zone of the process. Waits are short, because the
 * clock may be set and summer time may start or end.
 */
export class CronTimetable implements Timetable {
  readonly #expression: string;
  readonly #times: CronTimes;
  readonly #clock: Clock;
  readonly #log: Logger;
  #stopping = new AbortController();
  #lastTickAt: number;

  constructor(expression: string, clock: Clock, log: Logger) {
    this.#expression = expression;
    this.#times = new CronTimes(expression);
    this.#clock = clock;
    this.#log = log;
    this.#lastTickAt = clock.now();
  }

  start(tick: () => void, lastTickAt = this.#clock.now()): boolean {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    const now = this.#clock.now();
    const wasDue = lastTickAt < now && nextTick(this.#times, lastTickAt) <= now;
    this.#lastTickAt = now;
    void this.#tickUntil(this.#stopping.signal, tick);
    return wasDue;
  }

  get lastTickAt(): number {
    return this.#lastTickAt;
  }

  stop(): void {
    this.#stopping.abort();
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

  async #tickUntil(stopped: AbortSignal, tick: () => void): Promise<void> {
    const clock = this.#clock;
    const longest = Math.min(MAX_WAIT_MS, this.#times.closestMs);
    let handledMonotonic = clock.monotonic();
    while (!stopped.aborted) {
      // A timer may fire a fraction early: always wait.
      const wait = Math.max(1, Math.min(nextTick(this.#times, this.#lastTickAt) - clock.now(), longest));
      // `sleep` rejects only because of the signal.
      await clock.sleep(wait, stopped).catch(() => undefined);
      if (stopped.aborted) return;
      const [now, monotonic] = [clock.now(), clock.monotonic()];
      if (now < this.#lastTickAt && now > this.#lastTickAt - MIN_SET_BACK_MS) continue;
      // Set back: repeat the times from there on.
      const due = now < this.#lastTickAt ? Number.POSITIVE_INFINITY : nextTick(this.#times, this.#lastTickAt);
      if (due <= now) this.#logMissed(due, now, now - this.#lastTickAt - (monotonic - handledMonotonic));
      this.#lastTickAt = now;
      handledMonotonic = monotonic;
      if (due <= now) tick();
    }
  }

  /** One run replaces all that were due. */
  #logMissed(due: number, now: number, aheadMs: number): void {
    const missed = this.#times.count(wallTime(due), wallTime(now));
    if (missed <= 0) return;
    const fields = { schedule: this.#expression, missed };
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
