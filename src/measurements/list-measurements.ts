import type { ChannelRecord, ChannelRecords } from "../prtg/records.ts";
import { SERIES_WINDOW_MS } from "../prtg/series-types.ts";
import type { MeasurementRow } from "./measurement.ts";
import type { ChannelTimes, ListMeasurement, SensorMeasurements } from "./sensor-measurements.ts";

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

/** Repeats the last values of slow sensors. */
export interface Repeats {
  /** Maximum age of the newest point of a series, milliseconds. */
  readonly intervalMs: number;
  /** The served values of a sensor. */
  readonly valuesOf: (sensorId: string) => MeasurementRow["values"];
  /** A disconnected probe may deliver results later with their own time. */
  readonly isHeldBack: (sensorId: string) => boolean;
}

/** The request of a list. */
export interface ListRequest {
  /** Milliseconds since the epoch, server's clock. */
  readonly at: number;
  /** Expected time until the next list, milliseconds. */
  readonly periodMs: number;
  readonly isHeldBack: () => boolean;
}

/** A list may show a measurement this late, because scans take time and clocks differ. A repeat is older. */
const REPEAT_MARGIN_MS = 60_000;
/** A scan that is later was skipped, for example during a pause. */
const OVERDUE_MS = 2 * 60_000;
/** Lists and series may differ by less. */
const SAME_WITHIN_MS = 10_000;

/**
 * The time of a repeat that is due, whole seconds in milliseconds since the epoch. `undefined` if none is.
 * It precedes every future measurement: it is before the request of the list and before the next scan. A repeat is due
 * if the newest point would be too old before the next list.
 * @param repeatedAt The previous repeat.
 */
export function repeatTime(
  sensor: SensorMeasurements,
  { at: requestedAt, periodMs, isHeldBack }: ListRequest,
  intervalMs: number,
  repeatedAt = Number.NEGATIVE_INFINITY,
): number | undefined {
  const measuredAt = heldSince(sensor, requestedAt);
  if (measuredAt === undefined) return undefined;
  const newestAt = Math.max(sensor.covered ?? Number.NEGATIVE_INFINITY, repeatedAt);
  if (requestedAt + periodMs - newestAt <= intervalMs) return undefined;
  const dueAt = measuredAt + sensor.intervalMs;
  const isSkipped = requestedAt > dueAt + OVERDUE_MS && !isHeldBack();
  const latest = (isSkipped ? requestedAt : Math.min(requestedAt, dueAt)) - REPEAT_MARGIN_MS;
  const at = Math.floor(latest / 1000) * 1000;
  // A staleness marker is a millisecond after the newest point.
  return at > newestAt + 1 ? at : undefined;
}

/** Time of the last measurement if nothing is left to send, milliseconds since the epoch. */
function heldSince(sensor: SensorMeasurements, requestedAt: number): number | undefined {
  const { newest, covered, isInStep, endsInAverage } = sensor;
  if (newest === undefined || !isInStep) return undefined;
  // The live series would have a younger one.
  if (covered === undefined)
    return newest.at < requestedAt - SERIES_WINDOW_MS.live - REPEAT_MARGIN_MS ? newest.at : undefined;
  if (endsInAverage && newest.at <= covered) return newest.at;
  return Math.abs(newest.at - covered) <= SAME_WITHIN_MS ? Math.min(newest.at, covered) : undefined;
}
