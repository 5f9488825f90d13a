import type { World } from "prtg-simulator/src/world/model.ts";
import { describePoint, type PointSeries, type ReceivedPoints, type Span } from "./received-points.ts";

const NOTHING: PointSeries = { times: [], values: [] };
const MAX_SHOWN = 20;

/** Scans with all channels' values, or partial ones, which only lists show. */
type Scans = "whole" | "partial";

/** Time series have only whole scans: a down sensor has a Downtime value, its series a gap. */
export function* simulatedRecord(
  world: World,
  { from, to }: Span,
  scans: Scans = "whole",
): Generator<[channelId: string, PointSeries]> {
  for (const sensor of world.list("sensor")) {
    const all = sensor.channels.map((): PointSeries => ({ times: [], values: [] }));
    for (const { at, displayValues } of world.measurements(sensor, from, to)) {
      if (displayValues.includes(null) !== (scans === "partial")) continue;
      for (const [index, value] of displayValues.entries()) {
        if (value === null) continue;
        all[index]?.times.push(at);
        all[index]?.values.push(value);
      }
    }
    for (const [index, series] of all.entries()) {
      if (series.times.length > 0) yield [`${sensor.id}.${sensor.channels[index]?.number}`, series];
    }
  }
}

export function countRecord(world: World, span: Span): number {
  let count = 0;
  for (const [, { times }] of simulatedRecord(world, span)) count += times.length;
  return count;
}

export function countMissing(received: ReceivedPoints, world: World, span: Span): number {
  let count = 0;
  for (const [channelId, { times }] of simulatedRecord(world, span)) {
    const came = new Set(received.channels.get(channelId)?.times);
    for (const at of times) if (!came.has(at)) count++;
  }
  return count;
}

/** Number of delivered measurements, without those only in lists. */
export function countDelivered(received: ReceivedPoints, world: World, span: Span): number {
  return countRecord(world, span) - countMissing(received, world, span);
}

/** Without list-only values: lists repeat a down sensor's Downtime until its next scan. */
export function countRepeated(received: ReceivedPoints, world: World, span: Span): number {
  let count = 0;
  for (const [channelId, { times }] of simulatedRecord(world, span)) {
    const measured = new Set(times);
    count += (received.repeats.get(channelId) ?? []).filter((at) => measured.has(at)).length;
  }
  return count;
}

/** Points as `2490.1@1700000000000`. */
interface Exceptions {
  /** Measured but must not arrive. */
  readonly refused?: ReadonlySet<string>;
  /** Not measured but may arrive. */
  readonly averages?: ReadonlySet<string>;
}

/** Differences in (channel, timestamp, value) between received data and the record. */
export function differencesFromRecord(
  received: ReceivedPoints,
  world: World,
  spans: readonly Span[],
  exceptions: Exceptions = {},
): string[] {
  const found: string[] = [...received.conflicts];
  const expected = recordOf(world, spans, "whole");
  const possible = recordOf(world, spans, "partial");
  for (const channelId of new Set([...expected.keys(), ...received.channels.keys()])) {
    const [right, came] = [expected.get(channelId) ?? NOTHING, received.channels.get(channelId) ?? NOTHING];
    found.push(...compare(channelId, right, withoutPossible(came, possible.get(channelId) ?? NOTHING), exceptions));
  }
  return found.length > MAX_SHOWN ? [...found.slice(0, MAX_SHOWN), `and ${found.length - MAX_SHOWN} more`] : found;
}

function recordOf(world: World, spans: readonly Span[], scans: Scans): ReadonlyMap<string, PointSeries> {
  const record = new Map<string, PointSeries>();
  for (const span of spans) {
    for (const [channelId, { times, values }] of simulatedRecord(world, span, scans)) {
      const known = record.get(channelId) ?? NOTHING;
      record.set(channelId, { times: [...known.times, ...times], values: [...known.values, ...values] });
    }
  }
  return record;
}

/** Removes points that may come from a list. */
function withoutPossible({ times, values }: PointSeries, possible: PointSeries): PointSeries {
  const right = new Map(possible.times.map((at, index) => [at, possible.values[index]]));
  const kept = times.map((at, index) => right.get(at) !== values[index]);
  return { times: times.filter((_, index) => kept[index]), values: values.filter((_, index) => kept[index]) };
}

function* compare(
  channelId: string,
  expected: PointSeries,
  found: PointSeries,
  { refused, averages }: Exceptions,
): Generator<string> {
  const values = new Map(found.times.map((at, index) => [at, found.values[index]]));
  for (const [index, at] of expected.times.entries()) {
    const value = values.get(at);
    const isRefused = refused?.has(`${channelId}@${at}`) ?? false;
    if (value === undefined && !isRefused) yield `missing: ${describePoint(channelId, at)}`;
    if (value !== undefined && isRefused) yield `came though it was refused: ${describePoint(channelId, at)}`;
    if (value !== undefined && value !== expected.values[index]) {
      yield `${describePoint(channelId, at)} is ${value}, not ${expected.values[index]}`;
    }
    values.delete(at);
  }
  for (const at of values.keys()) {
    if (!averages?.has(`${channelId}@${at}`)) yield `never measured: ${describePoint(channelId, at)}`;
  }
}
