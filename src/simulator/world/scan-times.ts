import type { Pace, SensorNode } from "./nodes.ts";

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

/** The last moment at or before `at` when a scan of the sensor is due. */
export function lastDue(sensor: SensorNode, at: number): number {
  const { paces, scans, salt } = sensor;
  const regular = paces.length === 1 ? gridAtOrBefore(salt, paces[0].seconds, at) : lastOfPaces(paces, salt, at);
  if (scans.length === 0) return regular;
  return Math.max(regular, scans.findLast((scan) => scan <= at) ?? -Infinity);
}

/** The first moment at or after `at` when a scan of the sensor is due. */
export function nextDue(sensor: SensorNode, at: number): number {
  const { paces, scans, salt } = sensor;
  const regular = paces.length === 1 ? gridAtOrAfter(salt, paces[0].seconds, at) : nextOfPaces(paces, salt, at);
  if (scans.length === 0) return regular;
  return Math.min(regular, scans.find((scan) => scan >= at) ?? Infinity);
}

function lastOfPaces(paces: readonly Pace[], salt: number, at: number): number {
  let end = at;
  for (const { from, seconds } of paces.toReversed()) {
    if (from > end) continue;
    const due = gridAtOrBefore(salt, seconds, end);
    if (due >= from) return due;
    end = from - 1;
  }
  return -Infinity;
}

function nextOfPaces(paces: readonly Pace[], salt: number, at: number): number {
  for (const [index, { from, seconds }] of paces.entries()) {
    const end = paces[index + 1]?.from ?? Infinity;
    if (end <= at) continue;
    const due = gridAtOrAfter(salt, seconds, Math.max(at, from));
    if (due < end) return due;
  }
  return Infinity;
}

/** The interval at which the sensor scanned at a moment, in seconds. */
export function secondsAt({ paces }: SensorNode, at: number): number {
  if (paces.length === 1) return paces[0].seconds;
  return (paces.findLast(({ from }) => from <= at) ?? paces[0]).seconds;
}

/** The regular scans around one of them that lie evenly, with no other between: every so many milliseconds, not before `from`. */
export interface EvenRun {
  readonly everyMs: number;
  readonly from: number;
}

export function evenRunBefore(sensor: SensorNode, due: number): EvenRun {
  const everyMs = secondsAt(sensor, due) * 1000;
  const { paces, scans } = sensor;
  if (paces.length === 1 && scans.length === 0) return { everyMs, from: -Infinity };
  // A scan that somebody asked for stands alone.
  if (lastDueRegular(sensor, due) !== due) return { everyMs, from: due };
  const pace = paces.findLast(({ from }) => from <= due) ?? paces[0];
  const asked = scans.findLast((scan) => scan < due) ?? -Infinity;
  return { everyMs, from: Math.max(pace.from, asked + 1) };
}

function lastDueRegular({ paces, salt }: SensorNode, at: number): number {
  return paces.length === 1 ? gridAtOrBefore(salt, paces[0].seconds, at) : lastOfPaces(paces, salt, at);
}
