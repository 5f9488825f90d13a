import type { World } from "../../../src/simulator/world/model.ts";
import { describePoint, type PointSeries, type ReceivedPoints, type Span } from "./received-points.ts";

const NOTHING: PointSeries = { times: [], values: [] };
const MAX_SHOWN = 20;

/** What the simulator measured in a span, by channel; channels without a measurement are left out. */
export function* simulatedRecord(world: World, { from, to }: Span): Generator<[channelId: string, PointSeries]> {
  for (const sensor of world.list("sensor")) {
    const all = sensor.channels.map((): PointSeries => ({ times: [], values: [] }));
    for (const { at, displayValues } of world.measurements(sensor, from, to)) {
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
  const expected = new Map<string, PointSeries>();
  for (const span of spans) {
    for (const [channelId, { times, values }] of simulatedRecord(world, span)) {
      const known = expected.get(channelId) ?? NOTHING;
      expected.set(channelId, { times: [...known.times, ...times], values: [...known.values, ...values] });
    }
  }
  for (const channelId of new Set([...expected.keys(), ...received.channels.keys()])) {
    const [right, came] = [expected.get(channelId) ?? NOTHING, received.channels.get(channelId) ?? NOTHING];
    found.push(...compare(channelId, right, came, exceptions));
  }
  return found.length > MAX_SHOWN ? [...found.slice(0, MAX_SHOWN), `and ${found.length - MAX_SHOWN} more`] : found;
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
