import type { World } from "../../../packages/simulator/src/world/model.ts";
import { describePoint, type PointSeries, type ReceivedPoints, type Span } from "./received-points.ts";

const NOTHING: PointSeries = { times: [], values: [] };
const MAX_SHOWN = 20;

/** Scans with a value of each channel, or those where some have none: lists alone show what the others measured then. */
type Scans = "whole" | "partial";

/**
 * What the simulator measured in a span, by channel; channels without a measurement are left out. A time series has whole
 * scans only: while a sensor is down its Downtime has a value, and the series a gap.
 */
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

/** How many of these measurements have not come. */
export function countMissing(received: ReceivedPoints, world: World, span: Span): number {
  let count = 0;
  for (const [channelId, { times }] of simulatedRecord(world, span)) {
    const came = new Set(received.channels.get(channelId)?.times);
    for (const at of times) if (!came.has(at)) count++;
  }
  return count;
}

/** How many of these measurements have come, without what lists alone showed. */
export function countDelivered(received: ReceivedPoints, world: World, span: Span): number {
  return countRecord(world, span) - countMissing(received, world, span);
}

/**
 * How many of these measurements came again, each time counted, without those that lists alone show: of a sensor that is
 * down, these show the same Downtime until its next scan, so to an exporter that has forgotten it, too.
 */
export function countRepeated(received: ReceivedPoints, world: World, span: Span): number {
  let count = 0;
  for (const [channelId, { times }] of simulatedRecord(world, span)) {
    const measured = new Set(times);
    count += (received.repeats.get(channelId) ?? []).filter((at) => measured.has(at)).length;
  }
  return count;
}

/** Points by `2490.1@1700000000000`. */
export interface Exceptions {
  /** Must not have come, though they were measured. */
  readonly refused?: ReadonlySet<string>;
  /** May have come, though they were not measured. */
  readonly averages?: ReadonlySet<string>;
}

/**
 * How (channel, timestamp, value) of what came differ from the record of these spans, in words; empty when the two sets
 * are equal.
 */
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

/** What came, but for what may have come from a list and has the right value. */
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
