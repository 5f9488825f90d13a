import type { ChannelRecord, ChannelRecords } from "../prtg/records.ts";
import type { MeasurementRow } from "./measurement.ts";
import type { ChannelTimes, ListMeasurement } from "./sensor-sync.ts";

export interface ChannelGroup {
  readonly sensorId: string;
  readonly channels: readonly ChannelRecord[];
}

/**
 * Groups a list by sensor, because all channels of a measurement are sent together. Sorts the list if it is not
 * grouped. Works in small steps: `undefined` is a step without a group.
 */
export function* channelsBySensor(list: ChannelRecords): Generator<ChannelGroup | undefined> {
  let sensorId: string | undefined;
  let channels: ChannelRecord[] = [];
  for (const channel of (yield* isBySensor(list)) ? list : [...list].sort(bySensor)) {
    if (channel.sensorId !== sensorId) {
      if (sensorId !== undefined) yield { sensorId, channels };
      ({ sensorId } = channel);
      channels = [];
    }
    channels.push(channel);
  }
  if (sensorId !== undefined) yield { sensorId, channels };
}

function* isBySensor(channels: ChannelRecords): Generator<undefined, boolean> {
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
  { channels }: ChannelGroup,
  after: number,
  keepsValues = true,
): readonly ListMeasurement[] {
  let points: GrowingMeasurement[] | undefined;
  for (const { channelId, value, measuredAt } of channels) {
    if (value === undefined || measuredAt === undefined || measuredAt <= after) continue;
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
export function timesBetween({ channels }: ChannelGroup, from: number, to: number): ChannelTimes | undefined {
  let oldest = Number.POSITIVE_INFINITY;
  let newest = Number.NEGATIVE_INFINITY;
  for (const { measuredAt: at } of channels) {
    if (at === undefined || at < from || at > to) continue;
    if (at < oldest) oldest = at;
    if (at > newest) newest = at;
  }
  return oldest <= newest ? { oldest, newest } : undefined;
}
