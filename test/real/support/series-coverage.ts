import type { SimSensor } from "prtg-simulator/src/world/model.ts";
import type { ManualTimeExporter } from "./manual-time-exporter.ts";

const LIVE_WINDOW_MS = 4 * 3_600_000;

/** Unknown sensor, scans missed by lists, no scan for a while, which lists cannot distinguish, or a failed scan, which PRTG repeats. */
export type Reason = "first" | "missed" | "halted" | "failed";

export interface SeriesRead {
  readonly sensorId: string;
  /** Monotonic, milliseconds. */
  readonly elapsed: number;
  /** Undefined: the request brought nothing. */
  readonly reason: Reason | undefined;
}

interface Coverage {
  readonly reads: readonly SeriesRead[];
  /** Sensors with unread series, and the reason. */
  readonly open: ReadonlyMap<string, Reason>;
}

/** From the simulator's log and world, not from the sync code. */
export function coverageOf({ requests, world, sensors }: ManualTimeExporter): Coverage {
  const byId = new Map(sensors.map((sensor) => [sensor.id, sensor]));
  const channels = world.channels();
  const known = new Map<string, number>();
  const open = new Map<string, Reason>();
  const reads: SeriesRead[] = [];

  const listed = (sensor: SimSensor, scannedAt: number): void => {
    const before = known.get(sensor.id);
    if (open.has(sensor.id) || scannedAt <= (before ?? 0)) return;
    const reason = reasonFor(sensor, before, scannedAt);
    if (reason === undefined) known.set(sensor.id, scannedAt);
    else open.set(sensor.id, reason);
  };
  const reasonFor = (sensor: SimSensor, before: number | undefined, scannedAt: number): Reason | undefined => {
    if (before === undefined) return "first";
    if (world.measurements(sensor, before + 1, scannedAt - 1).length > 0) return "missed";
    return scannedAt - before > 1.25 * sensor.intervalSeconds * 1_000 ? "halted" : undefined;
  };
  /** Whether a scan failed lately. Requests can wait for minutes. */
  const failureOf = (sensor: SimSensor, at: number): Reason | undefined => {
    const times = Array.from({ length: 10 }, (_, scans) => at - scans * sensor.intervalSeconds * 1_000);
    return times.some((time) => ["down", "acknowledged"].includes(world.state(sensor, time).status))
      ? "failed"
      : undefined;
  };

  for (const { url, at, elapsed, status } of requests) {
    if (status !== 200) continue;
    const { pathname, searchParams } = new URL(url, "http://simulator");
    const sensor = byId.get(/\/timeseries\/(\d+)\/live$/.exec(pathname)?.[1] ?? "");
    if (sensor !== undefined) {
      reads.push({ sensorId: sensor.id, elapsed, reason: open.get(sensor.id) ?? failureOf(sensor, at) });
      open.delete(sensor.id);
      known.set(sensor.id, world.measurements(sensor, at - LIVE_WINDOW_MS, at).at(-1)?.at ?? at);
    } else if (pathname.endsWith("/channels") && !searchParams.has("include")) {
      const offset = Number(searchParams.get("offset"));
      for (const channel of channels.slice(offset, offset + Number(searchParams.get("limit")))) {
        const scannedAt = world.lastMeasurement(channel, at)?.at;
        if (scannedAt !== undefined && scannedAt > at - LIVE_WINDOW_MS) listed(channel.sensor, scannedAt);
      }
    }
  }
  return { reads, open };
}
