import { mapEntry } from "../../src/lib/map-entry.ts";
import type { TimeSeries, TimeSeriesRow } from "../../src/prtg/records.ts";
import { SERIES_STEP_MS, SERIES_TYPES, SERIES_WINDOW_MS, type SeriesType } from "../../src/prtg/series-types.ts";
import { MemoryServer } from "../collectors/memory-server.ts";
import { ROOT, record } from "../model/build-record.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A Thursday, within a step of every series. */
export const NOW = Date.UTC(2026, 2, 12, 17, 42, 30);

/** Text order differs from number order. */
const CHANNEL_IDS = ["10", "-4", "2", "0"];

interface HistoryServerOptions {
  readonly sensors: readonly string[];
  /** At most four. */
  readonly channels?: number;
  readonly now?: number;
}

/** Probe, group, device, sensors. */
export class HistoryServer extends MemoryServer {
  /** Runs before each time series. */
  asks: (sensorId: string, type: SeriesType) => void = () => undefined;
  readonly now: number;

  constructor({ sensors, channels = 2, now = NOW }: HistoryServerOptions) {
    super();
    this.now = now;
    this.put(record("probe", "1", ROOT, { name: "Probe" }), record("group", "2", "1", { name: "Berlin" }));
    this.put(record("device", "3", "2", { name: 'a "device"' }));
    for (const id of sensors) {
      this.put(record("sensor", id, "3", { name: `Ping ${id}`, type: "ping", tags: ["network"] }));
      for (const channelId of CHANNEL_IDS.slice(0, channels)) {
        this.channelRecords.push({
          ...{ sensorId: id, channelId, name: `channel ${channelId}`, unit: "%" },
          ...{ value: 1, measuredAt: now, limits: undefined },
        });
      }
      for (const type of SERIES_TYPES) this.series.set(`${id}/${type}`, seriesOf(id, type, channels, now));
    }
  }

  override async timeSeries(...asked: Parameters<MemoryServer["timeSeries"]>): Promise<TimeSeries> {
    const [sensorId, type] = asked;
    this.asks(sensorId, type);
    return super.timeSeries(...asked);
  }

  rows(sensorId: string, type: SeriesType): readonly TimeSeriesRow[] {
    return this.series.get(`${sensorId}/${type}`)?.rows ?? [];
  }
}

/** Series by sensor, type, number of channels and time. Servers share them. */
const knownSeries = new Map<string, TimeSeries>();

/** Live rows come every minute, at the sensor's own second. */
function seriesOf(id: string, type: SeriesType, channels: number, now: number): TimeSeries {
  return mapEntry(knownSeries, `${id}/${type}/${channels}/${now}`, () => madeSeries(id, type, channels, now));
}

function madeSeries(id: string, type: SeriesType, channels: number, now: number): TimeSeries {
  const step = SERIES_STEP_MS[type] || MINUTE;
  const offset = type === "live" ? (Number(id) % 60) * 1_000 : 0;
  const rows: TimeSeriesRow[] = [];
  const first = Math.ceil((now - SERIES_WINDOW_MS[type] - offset) / step) * step + offset;
  for (let at = first; at + SERIES_STEP_MS[type] <= now; at += step) {
    const values = CHANNEL_IDS.slice(0, channels).map((channelId): [string, number] => [
      channelId,
      valueAt(id, channelId, type, at),
    ]);
    rows.push({ at, values });
  }
  return { rows, gaps: [], skipped: 0 };
}

/** A value that identifies its origin. */
export function valueAt(sensorId: string, channelId: string, type: SeriesType, at: number): number {
  return Number(sensorId) + Number(channelId) / 7 + SERIES_TYPES.indexOf(type) * 1_000 + (at / MINUTE) * 1e-6;
}
