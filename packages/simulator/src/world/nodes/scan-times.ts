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
}

/** Scans are due at multiples of the interval plus an offset of the sensor's own. */
function offsetMs(salt: number, seconds: number): number {
  return (salt % seconds) * 1000;
}

function gridAtOrBefore(salt: number, seconds: number, at: number): number {
  const offset = offsetMs(salt, seconds);
  return Math.floor((at - offset) / (seconds * 1000)) * seconds * 1000 + offset;
}

function gridAtOrAfter(salt: number, seconds: number, at: number): number {
  const offset = offsetMs(salt, seconds);
  return Math.ceil((at - offset) / (seconds * 1000)) * seconds * 1000 + offset;
}

/** The last time at or before `at` at which a scan of the sensor is due. */
export function lastDue(sensor: ScanTiming, at: number): number {
  const { intervals, requestedScans, salt } = sensor;
  const regular =
    intervals.length === 1 ? gridAtOrBefore(salt, intervals[0].seconds, at) : lastDueOfIntervals(intervals, salt, at);
  if (requestedScans.length === 0) return regular;
  return Math.max(regular, requestedScans.findLast((scan) => scan <= at) ?? -Infinity);
}

/** The first time at or after `at` at which a scan of the sensor is due. */
export function nextDue(sensor: ScanTiming, at: number): number {
  const { intervals, requestedScans, salt } = sensor;
  const regular =
    intervals.length === 1 ? gridAtOrAfter(salt, intervals[0].seconds, at) : nextDueOfIntervals(intervals, salt, at);
  if (requestedScans.length === 0) return regular;
  return Math.min(regular, requestedScans.find((scan) => scan >= at) ?? Infinity);
}

function lastDueOfIntervals(periods: readonly IntervalPeriod[], salt: number, at: number): number {
  let end = at;
  for (const { from, seconds } of periods.toReversed()) {
    if (from > end) continue;
    const due = gridAtOrBefore(salt, seconds, end);
    if (due >= from) return due;
    end = from - 1;
  }
  return -Infinity;
}

function nextDueOfIntervals(periods: readonly IntervalPeriod[], salt: number, at: number): number {
  for (const [index, { from, seconds }] of periods.entries()) {
    const end = periods[index + 1]?.from ?? Infinity;
    if (end <= at) continue;
    const due = gridAtOrAfter(salt, seconds, Math.max(at, from));
    if (due < end) return due;
  }
  return Infinity;
}

/** The interval of the sensor at a given time, in seconds. */
export function secondsAt({ intervals }: ScanTiming, at: number): number {
  if (intervals.length === 1) return intervals[0].seconds;
  return (intervals.findLast(({ from }) => from <= at) ?? intervals[0]).seconds;
}

/** The regular scans around one of them that lie evenly, with no other between: every so many milliseconds, not before `from`. */
export interface RegularRun {
  readonly everyMs: number;
  readonly from: number;
}

export function regularRunBefore(sensor: ScanTiming, due: number): RegularRun {
  const everyMs = secondsAt(sensor, due) * 1000;
  const { intervals, requestedScans } = sensor;
  if (intervals.length === 1 && requestedScans.length === 0) return { everyMs, from: -Infinity };
  // A requested scan stands alone.
  if (lastRegularDue(sensor, due) !== due) return { everyMs, from: due };
  const period = intervals.findLast(({ from }) => from <= due) ?? intervals[0];
  const asked = requestedScans.findLast((scan) => scan < due) ?? -Infinity;
  return { everyMs, from: Math.max(period.from, asked + 1) };
}

function lastRegularDue({ intervals, salt }: ScanTiming, at: number): number {
  return intervals.length === 1
    ? gridAtOrBefore(salt, intervals[0].seconds, at)
    : lastDueOfIntervals(intervals, salt, at);
}
