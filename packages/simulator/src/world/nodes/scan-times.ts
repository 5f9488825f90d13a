import { below, mix, smooth, uniform } from "../noise.ts";

/** From `from` on a sensor scans at this interval. */
export interface IntervalPeriod {
  readonly from: number;
  readonly seconds: number;
}

/** What says when the scans of a sensor are due. */
export interface ScanTiming {
  readonly salt: number;
  /** In order of time; the first one from -Infinity on. */
  readonly intervals: readonly [IntervalPeriod, ...IntervalPeriod[]];
  /** Scans that were requested, in order of time. */
  readonly requestedScans: readonly number[];
  /** Scans are late now and then, long intervals drift, and single scans fail and are repeated, as in the PRTG Open Dataset. */
  readonly isIrregular: boolean;
}

/** A scan that failed alone, and the scan that repeats it. */
export interface FailedScan {
  readonly at: number;
  readonly repeatedAt: number;
}

const SHARE_WITH_FAILURES = 0.25;
const SCANS_PER_FAILURE = 128;
/** A shorter interval leaves no room for a repetition. */
const MIN_SECONDS_OF_REPEATS = 30;
const MIN_SECONDS_OF_DRIFT = 300;
const MAX_DRIFT_SECONDS = 12;
const DRIFT_DAYS = 5;
const MAX_LATE_SHARE = 0.05;
const MAX_LATE_SECONDS = 36;

/** Scans of one interval have numbers: number 0 is near the epoch. A scan is never so late that it passes the next one. */
function numberAt({ salt }: ScanTiming, seconds: number, at: number): number {
  return Math.floor((at / 1000 - (salt % seconds)) / seconds);
}

function timeOf(sensor: ScanTiming, seconds: number, number: number): number {
  const delay = sensor.isIrregular ? delaySeconds(sensor, seconds, number) : 0;
  return (number * seconds + (sensor.salt % seconds) + delay) * 1000;
}

function delaySeconds(sensor: ScanTiming, seconds: number, number: number): number {
  const { salt } = sensor;
  const days = (number * seconds) / 86_400;
  const drift =
    seconds < MIN_SECONDS_OF_DRIFT ? 0 : Math.round(MAX_DRIFT_SECONDS * smooth(salt ^ 0xd41f7, days / DRIFT_DAYS));
  if (fails(sensor, seconds, number)) return drift + 2 + below(salt ^ 0xfa11, number, 4);
  if (uniform(salt ^ 0x1a7e, number) >= MAX_LATE_SHARE * uniform(salt, 0x1a7e) ** 2) return drift;
  const most = Math.min(MAX_LATE_SECONDS, 0.6 * seconds);
  return drift + Math.ceil(most * uniform(salt ^ 0x510, number) ** 6);
}

/** Whether the scan fails alone and is repeated. */
function fails({ salt, isIrregular }: ScanTiming, seconds: number, number: number): boolean {
  if (!isIrregular || seconds < MIN_SECONDS_OF_REPEATS || uniform(salt, 0xfa11) >= SHARE_WITH_FAILURES) return false;
  return number === failureIn(salt, Math.floor(number / SCANS_PER_FAILURE));
}

function failureIn(salt: number, window: number): number {
  return window * SCANS_PER_FAILURE + (mix(salt ^ 0xfa11, window) % SCANS_PER_FAILURE);
}

function repeatOf(sensor: ScanTiming, seconds: number, number: number): number {
  return timeOf(sensor, seconds, number) + (6 + below(sensor.salt ^ 0x4e9, number, 8)) * 1000;
}

function gridAtOrBefore(sensor: ScanTiming, seconds: number, at: number): number {
  const number = numberAt(sensor, seconds, at);
  const time = timeOf(sensor, seconds, number);
  const [last, due] = time <= at ? [number, time] : [number - 1, timeOf(sensor, seconds, number - 1)];
  const repeated = fails(sensor, seconds, last) ? repeatOf(sensor, seconds, last) : Infinity;
  return repeated <= at ? repeated : due;
}

function gridAtOrAfter(sensor: ScanTiming, seconds: number, at: number): number {
  const number = numberAt(sensor, seconds, at);
  const time = timeOf(sensor, seconds, number);
  if (time >= at) return time;
  const repeated = fails(sensor, seconds, number) ? repeatOf(sensor, seconds, number) : -Infinity;
  return repeated >= at ? repeated : timeOf(sensor, seconds, number + 1);
}

/** The last scan at or before `at` that failed alone. */
export function lastFailure(sensor: ScanTiming, at: number): FailedScan | undefined {
  let end = at;
  for (const { from, seconds } of sensor.intervals.toReversed()) {
    if (from > end) continue;
    const window = Math.floor(numberAt(sensor, seconds, end) / SCANS_PER_FAILURE);
    for (const number of [failureIn(sensor.salt, window), failureIn(sensor.salt, window - 1)]) {
      if (!fails(sensor, seconds, number)) break;
      const failedAt = timeOf(sensor, seconds, number);
      if (from <= failedAt && failedAt <= end) return { at: failedAt, repeatedAt: repeatOf(sensor, seconds, number) };
    }
    end = from - 1;
  }
  return undefined;
}

/** The last time at or before `at` at which a scan of the sensor is due. */
export function lastDue(sensor: ScanTiming, at: number): number {
  const { intervals, requestedScans } = sensor;
  const regular =
    intervals.length === 1 ? gridAtOrBefore(sensor, intervals[0].seconds, at) : lastDueOfIntervals(sensor, at);
  if (requestedScans.length === 0) return regular;
  return Math.max(regular, requestedScans.findLast((scan) => scan <= at) ?? -Infinity);
}

/** The first time at or after `at` at which a scan of the sensor is due. */
export function nextDue(sensor: ScanTiming, at: number): number {
  const { intervals, requestedScans } = sensor;
  const regular =
    intervals.length === 1 ? gridAtOrAfter(sensor, intervals[0].seconds, at) : nextDueOfIntervals(sensor, at);
  if (requestedScans.length === 0) return regular;
  return Math.min(regular, requestedScans.find((scan) => scan >= at) ?? Infinity);
}

function lastDueOfIntervals(sensor: ScanTiming, at: number): number {
  let end = at;
  for (const { from, seconds } of sensor.intervals.toReversed()) {
    if (from > end) continue;
    const due = gridAtOrBefore(sensor, seconds, end);
    if (due >= from) return due;
    end = from - 1;
  }
  return -Infinity;
}

function nextDueOfIntervals(sensor: ScanTiming, at: number): number {
  const periods = sensor.intervals;
  for (const [index, { from, seconds }] of periods.entries()) {
    const end = periods[index + 1]?.from ?? Infinity;
    if (end <= at) continue;
    const due = gridAtOrAfter(sensor, seconds, Math.max(at, from));
    if (due < end) return due;
  }
  return Infinity;
}

/** The interval of the sensor at a given time, in seconds. */
export function secondsAt({ intervals }: ScanTiming, at: number): number {
  if (intervals.length === 1) return intervals[0].seconds;
  return (intervals.findLast(({ from }) => from <= at) ?? intervals[0]).seconds;
}
