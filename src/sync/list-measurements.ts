import type { ChannelRecord } from "../prtg/records.ts";
import type { MeasurementRow } from "./measurement.ts";
import type { ChannelTimes, ListMeasurement } from "./sensor-sync.ts";

export interface ChannelGroup {
  readonly sensorId: string;
  readonly list: readonly ChannelRecord[];
  readonly from: number;
  readonly to: number;
}

/**
 * Groups a list by sensor, because all channels of a measurement are sent together. Sorts the list if it is not
 * grouped. Works in small steps: `undefined` is a step without a group.
 */
export function* channelsBySensor(channels: readonly ChannelRecord[]): Generator<ChannelGroup | undefined> {
  const list = (yield* isBySensor(channels)) ? channels : channels.toSorted(bySensor);
  let from = 0;
  for (let to = 1; to <= list.length; to++) {
    const sensorId = list[from]?.sensorId;
    if (sensorId === undefined || list[to]?.sensorId === sensorId) continue;
    yield { sensorId, list, from, to };
    from = to;
  }
}

function* isBySensor(channels: readonly ChannelRecord[]): Generator<undefined, boolean> {
  const seen = new Set<string>();
  let last: string | undefined;
  for (const { sensorId } of channels) {
    if (sensorId === last) continue;
    yield undefined;
    if (seen.has(sensorId)) return false;
    seen.add(sensorId);
    last = sensorId;
  }
  return true;
}

function bySensor(a: ChannelRecord, b: ChannelRecord): number {
  return a.sensorId < b.sensorId ? -1 : a.sensorId > b.sensorId ? 1 : 0;
}

interface GrowingMeasurement extends ListMeasurement {
  readonly values: MeasurementRow["values"][number][];
}

/**
 * The measurements of one sensor after a time, oldest first. Usually there is one, because channels share the time of
 * their scan.
 * @param keepsValues False: only times, to avoid garbage.
 */
export function measurementsAfter(
  { list, from, to }: ChannelGroup,
  after: number,
  keepsValues = true,
): readonly ListMeasurement[] {
  let points: GrowingMeasurement[] | undefined;
  for (let index = from; index < to; index++) {
    const { channelId, value, measuredAt } = list[index] ?? {};
    if (channelId === undefined || value === undefined || measuredAt === undefined || measuredAt <= after) continue;
    points ??= [];
    let point = points.find(({ at }) => at === measuredAt);
    if (point === undefined) {
      point = { at: measuredAt, values: [] };
      points.push(point);
    }
    if (keepsValues) point.values.push([channelId, value]);
  }
  return points?.sort((a, b) => a.at - b.at) ?? [];
}

/** The first and last measurement between two times, with or without a value. */
export function timesBetween(channels: ChannelGroup, from: number, to: number): ChannelTimes | undefined {
  let oldest = Number.POSITIVE_INFINITY;
  let newest = Number.NEGATIVE_INFINITY;
  for (let index = channels.from; index < channels.to; index++) {
    const at = channels.list[index]?.measuredAt;
    if (at === undefined || at < from || at > to) continue;
    if (at < oldest) oldest = at;
    if (at > newest) newest = at;
  }
  return oldest <= newest ? { oldest, newest } : undefined;
}
