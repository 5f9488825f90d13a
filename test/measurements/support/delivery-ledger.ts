import { coverageEnd, type MeasurementRow } from "../../../src/measurements/measurement.ts";
import { SERIES_STEP_MS, SERIES_WINDOW_MS } from "../../../src/prtg/series-types.ts";
import type { ReceivedRow } from "./memory-sink.ts";
import type { RecordedSensor, RecordedServer } from "./recorded-server.ts";

/** A restart with these watermarks. */
export interface Restart {
  /** Rows received before. */
  readonly receivedBefore: number;
  readonly watermarks: ReadonlyMap<string, number>;
}

/** Errors in the received data. */
export function faultsOf(
  server: RecordedServer,
  received: readonly ReceivedRow[],
  restarts: readonly Restart[],
  expectedUntil: number,
): string[] {
  return server.sensors.flatMap((sensor) => {
    const rows = received.map((row, index) => ({ row, index })).filter(({ row }) => row.sensorId === sensor.id);
    const covered = new Map<number, ReceivedRow>();
    const faults = orderFaults(server, sensor, rows, restarts, covered);
    // Without a watermark, starts from the live series.
    const anew = restarts.filter(({ watermarks }) => !watermarks.has(sensor.id)).at(-1)?.receivedBefore ?? 0;
    const since = rows.filter(({ index }) => index >= anew);
    const missed = server
      .scans(sensor, since[0]?.row.at ?? expectedUntil, expectedUntil)
      .filter((scan) => !covered.has(scan));
    return [
      ...faults,
      ...startFaults(server, sensor, since[0]?.row),
      ...missed.flatMap((scan) => lossFaults(server, sensor, scan, since, restarts)),
    ].map((fault) => `sensor ${sensor.id}: ${fault}`);
  });
}

/** Order, overlaps, foreign rows. Fills in what covers each scan. */
function orderFaults(
  server: RecordedServer,
  sensor: RecordedSensor,
  rows: readonly { readonly row: ReceivedRow; readonly index: number }[],
  restarts: readonly Restart[],
  covered: Map<number, ReceivedRow>,
): string[] {
  const faults: string[] = [];
  let cursor = Number.NEGATIVE_INFINITY;
  const left = [...restarts];
  for (const { row, index } of rows) {
    while (left[0] !== undefined && left[0].receivedBefore <= index) {
      // Data after the watermark may repeat.
      const watermark = left.shift()?.watermarks.get(sensor.id) ?? Number.NEGATIVE_INFINITY;
      if (watermark > cursor) faults.push(`the watermark ${time(watermark)} is ahead of what was received`);
      cursor = Math.min(cursor, watermark);
      for (const scan of covered.keys())
        if (scan > watermark && scan + sensor.listSkewMs > watermark) covered.delete(scan);
    }
    if (row.at <= cursor) faults.push(`${show(row)} came after ${time(cursor)}`);
    cursor = lastOf(row);
    const scans = scansIn(server, sensor, row);
    const expectedValue =
      row.resolution === "live" || row.resolution === "repeated"
        ? scans.length === 1
          ? server.value(sensor, scans[0] ?? 0)
          : undefined
        : server.average(sensor, row.resolution, row.at);
    if (row.values.find(([id]) => id === "0")?.[1] !== expectedValue) faults.push(`${show(row)} is not on record`);
    if (row.values.length !== 2) faults.push(`${show(row)} has ${row.values.length} values`);
    for (const scan of scans) {
      const before = covered.get(scan);
      if (before !== undefined) faults.push(`${time(scan)} came in ${show(before)} and in ${show(row)}`);
      covered.set(scan, row);
      const isReadable = scan >= row.receivedAt + server.offsetMs - SERIES_WINDOW_MS.live;
      if (row.resolution !== "live" && isReadable) faults.push(`${time(scan)} came in ${show(row)} though it was live`);
    }
  }
  return faults;
}

/** The oldest of the live series, apart from the read time. */
function startFaults(server: RecordedServer, sensor: RecordedSensor, first: ReceivedRow | undefined): string[] {
  if (first === undefined) return [];
  const readable = first.receivedAt + server.offsetMs - SERIES_WINDOW_MS.live;
  const older = server.scans(sensor, readable, first.at + Math.min(0, -sensor.listSkewMs) - 1);
  return older.map((at) => `${time(at)} is before the first row, but was live`);
}

/** A measurement that never came although the server had it. */
function lossFaults(
  server: RecordedServer,
  sensor: RecordedSensor,
  scan: number,
  rows: readonly { readonly row: ReceivedRow; readonly index: number }[],
  restarts: readonly Restart[],
): string[] {
  // The last restart before it.
  const reset = restarts.filter(({ watermarks }) => (watermarks.get(sensor.id) ?? 0) < scan).at(-1);
  const later = rows.filter(({ index }) => index >= (reset?.receivedBefore ?? 0)).map(({ row }) => row);
  const next = later.find(({ at }) => at > scan);
  if (next === undefined || scan > next.receivedAt + server.offsetMs - SERIES_WINDOW_MS.live) {
    return [`${time(scan)} never came`];
  }
  const all = rows.map(({ row }) => row);
  return isAtAnEdge(scan, all) ? [] : [`${time(scan)} is in no average, though one was free`];
}

/** May be lost if its average includes data sent in another way. */
function isAtAnEdge(scan: number, rows: readonly ReceivedRow[]): boolean {
  return [SERIES_STEP_MS.short, SERIES_STEP_MS.medium, SERIES_STEP_MS.long].some((step) => {
    const begin = Math.floor(scan / step) * step;
    return rows.some((row) => row.at < begin + step && lastOf(row) >= begin);
  });
}

function scansIn(server: RecordedServer, sensor: RecordedSensor, row: MeasurementRow): number[] {
  if (row.resolution !== "live") return server.scans(sensor, row.at, lastOf(row));
  const exact = server.scans(sensor, row.at, row.at);
  return exact.length > 0 ? exact : server.scans(sensor, row.at - sensor.listSkewMs, row.at - sensor.listSkewMs);
}

export function lastOf(row: MeasurementRow): number {
  return coverageEnd(row);
}

function show({ at, resolution }: MeasurementRow): string {
  return `${resolution} ${time(at)}`;
}

function time(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : String(ms);
}
