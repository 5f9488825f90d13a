import { createTask, parse, type ScheduledTask } from "node-cron";

const DAY_S = 86_400;
const DAY_MS = DAY_S * 1_000;
/** 29 February on one weekday returns after 28 years, around 2100 after 40. */
const MAX_DAYS_AHEAD = 41 * 366;
/** Limit of `count`, which only serves a log line: a clock may jump by centuries. */
const MAX_DAYS_COUNTED = 366;

/** Times of a cron expression without a zone, in milliseconds since 1970 as if in UTC. node-cron parses the expression and matches days. */
export class CronTimes {
  readonly #task: ScheduledTask;
  readonly #hours: readonly number[];
  readonly #minutes: readonly number[];
  readonly #seconds: readonly number[];
  readonly #months: ReadonlySet<number>;
  /** Days of the month. `undefined` for words such as the last one. */
  readonly #days: ReadonlySet<number | string> | undefined;
  /** The first matching day after another. */
  #searched = { from: Number.POSITIVE_INFINITY, found: Number.NEGATIVE_INFINITY };

  /** @throws Error if node-cron rejects the expression */
  constructor(expression: string) {
    const { second, minute, hour, dayOfMonth, month } = parse(expression);
    this.#seconds = ascending(second);
    this.#minutes = ascending(minute);
    this.#hours = ascending(hour);
    this.#months = new Set(month);
    this.#days = dayOfMonth.every((day) => typeof day === "number") ? new Set(dayOfMonth) : undefined;
    this.#task = createTask(expression, () => undefined, { timezone: "UTC" });
    // Its timers follow the system's clock and stop for hours when summer time ends.
    void this.#task.destroy();
  }

  /** `undefined`: not within decades. */
  next(time: number): number | undefined {
    const today = Math.floor(time / DAY_MS);
    const later = this.#firstAfter(Math.floor(time / 1_000) - today * DAY_S);
    if (later !== undefined && this.#fitsDay(today)) return (today * DAY_S + later) * 1_000;
    const day = this.#dayFrom(today + 1);
    const first = this.#firstAfter(-1);
    return day === undefined || first === undefined ? undefined : (day * DAY_S + first) * 1_000;
  }

  /** Counts times after `from` up to `to`, within one year at most. */
  count(from: number, to: number): number {
    const [firstDay, lastDay] = [Math.floor(from / DAY_MS), Math.floor(to / DAY_MS)];
    const whole = this.#countUpTo(DAY_S);
    let times = 0;
    for (let day = firstDay; day <= lastDay && day < firstDay + MAX_DAYS_COUNTED; day++) {
      if (!this.#fitsDay(day)) continue;
      const after = day === lastDay ? this.#countUpTo(Math.floor(to / 1_000) - day * DAY_S) : whole;
      const before = day === firstDay ? this.#countUpTo(Math.floor(from / 1_000) - day * DAY_S) : 0;
      times += after - before;
    }
    return times;
  }

  /** Shortest distance between two times of a minute, milliseconds. One minute for a single time. */
  get closestMs(): number {
    const [first = 0] = this.#seconds;
    const steps = this.#seconds.map((second, index) => (this.#seconds[index + 1] ?? first + 60) - second);
    return Math.min(60, ...steps) * 1_000;
  }

  #dayFrom(day: number): number | undefined {
    if (day >= this.#searched.from && day <= this.#searched.found) return this.#searched.found;
    for (let found = day; found < day + MAX_DAYS_AHEAD; found++) {
      if (!this.#fitsDay(found)) continue;
      this.#searched = { from: day, found };
      return found;
    }
    return undefined;
  }

  #fitsDay(day: number): boolean {
    if (day >= this.#searched.from && day <= this.#searched.found) return day === this.#searched.found;
    const first = this.#firstAfter(-1) ?? 0;
    const date = new Date((day * DAY_S + first) * 1_000);
    // Cheap checks first: the search may cover years of days.
    if (!this.#months.has(date.getUTCMonth() + 1) || this.#days?.has(date.getUTCDate()) === false) return false;
    return this.#task.match(date);
  }

  #firstAfter(secondOfDay: number): number | undefined {
    for (const hour of this.#hours) {
      if (hour * 3_600 + 3_599 <= secondOfDay) continue;
      for (const minute of this.#minutes) {
        const start = hour * 3_600 + minute * 60;
        if (start + 59 <= secondOfDay) continue;
        const second = this.#seconds.find((at) => start + at > secondOfDay);
        if (second !== undefined) return start + second;
      }
    }
    return undefined;
  }

  #countUpTo(secondOfDay: number): number {
    const [hour, minute] = [Math.floor(secondOfDay / 3_600), Math.floor(secondOfDay / 60) % 60];
    const inMinute = this.#minutes.includes(minute) ? below(this.#seconds, (secondOfDay % 60) + 1) : 0;
    const inHour = this.#hours.includes(hour) ? below(this.#minutes, minute) * this.#seconds.length + inMinute : 0;
    return below(this.#hours, hour) * this.#minutes.length * this.#seconds.length + inHour;
  }
}

function ascending(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function below(values: readonly number[], bound: number): number {
  return values.filter((value) => value < bound).length;
}
