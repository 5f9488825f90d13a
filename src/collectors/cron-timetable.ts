import type { Logger } from "pino";
import { CronTimes } from "../config/cron-times.ts";
import type { Clock } from "../lib/clock.ts";
import type { Timetable } from "./collector.ts";

const DAY_MS = 86_400_000;
/** The wall clock is looked at this often: it may have been set. */
const MAX_WAIT_MS = 30_000;
/** Set back by less, as clocks that are kept in step are, nothing is due again. */
const MIN_SET_BACK_MS = 1_000;

/**
 * At the times of a cron expression, by the wall clock that is handed in and the zone of the process. Only a short while
 * is ever waited, and then looked again: the clock may have been set, summer time begun or ended.
 */
export class CronTimetable implements Timetable {
  readonly #expression: string;
  readonly #times: CronTimes;
  readonly #clock: Clock;
  readonly #log: Logger;
  #stopping = new AbortController();
  #handledUntil: number;

  constructor(expression: string, clock: Clock, log: Logger) {
    this.#expression = expression;
    this.#times = new CronTimes(expression);
    this.#clock = clock;
    this.#log = log;
    this.#handledUntil = clock.now();
  }

  start(tick: () => void, handledUntil = this.#clock.now()): boolean {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    const now = this.#clock.now();
    const wasDue = handledUntil < now && nextTick(this.#times, handledUntil) <= now;
    this.#handledUntil = now;
    void this.#tickUntil(this.#stopping.signal, tick);
    return wasDue;
  }

  /** By the wall clock. */
  get handledUntil(): number {
    return this.#handledUntil;
  }

  stop(): void {
    this.#stopping.abort();
  }

  untilNext(): number {
    return this.#untilTick(1);
  }

  untilThird(): number {
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
      // A timer may fire a fraction early, and a clock may stand still for that long: never without any wait.
      const wait = Math.max(1, Math.min(nextTick(this.#times, this.#handledUntil) - clock.now(), longest));
      // `sleep` rejects only because of the signal.
      await clock.sleep(wait, stopped).catch(() => undefined);
      if (stopped.aborted) return;
      const [now, monotonic] = [clock.now(), clock.monotonic()];
      if (now < this.#handledUntil && now > this.#handledUntil - MIN_SET_BACK_MS) continue;
      // Set back: the times from there on come once more.
      const due = now < this.#handledUntil ? Number.POSITIVE_INFINITY : nextTick(this.#times, this.#handledUntil);
      if (due <= now) this.#tellMissed(due, now, now - this.#handledUntil - (monotonic - handledMonotonic));
      this.#handledUntil = now;
      handledMonotonic = monotonic;
      if (due <= now) tick();
    }
  }

  /** One run makes up for all that were due at once. */
  #tellMissed(due: number, now: number, aheadMs: number): void {
    const missed = this.#times.count(wallTime(due), wallTime(now));
    if (missed <= 0) return;
    const fields = { schedule: this.#expression, missed };
    const cause =
      aheadMs >= MIN_SET_BACK_MS ? `the clock went ahead by ${seconds(aheadMs)}` : "the process was held up";
    this.#log.warn(fields, `${missed} ${missed === 1 ? "tick" : "ticks"} of a cron schedule passed over: ${cause}`);
  }
}

/**
 * The first moment after this one that the expression names; Infinity where there is none. Times that summer time leaves
 * out are due when it begins, all together; those that come twice when it ends are due twice.
 * @param after Milliseconds since the epoch, and so is the result.
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

/** The first moment after `from`, up to and including `to`, at which the zone has another offset than at `from`. */
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

/** A moment as a clock on the wall shows it. */
function wallTime(at: number): number {
  return at + zoneOffset(at);
}

/** Local time minus UTC at a moment, milliseconds. */
function zoneOffset(at: number): number {
  return -new Date(at).getTimezoneOffset() * 60_000;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
