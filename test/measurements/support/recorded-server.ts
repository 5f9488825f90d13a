import type { ErrorCode } from "../../../src/errors/catalogue.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { ApiError } from "../../../src/prtg/api-error.ts";
import type { SeriesPart } from "../../../src/prtg/monitoring-api.ts";
import type { ChannelRecord, TimeSeries, TimeSeriesRow } from "../../../src/prtg/records.ts";
import { SERIES_STEP_MS, SERIES_WINDOW_MS, type SeriesType } from "../../../src/prtg/series-types.ts";

export interface RecordedSensor {
  readonly id: string;
  readonly intervalMs: number;
  /** Scans at this time and at each interval, except in `pauses`. */
  readonly firstScanAt: number;
  readonly pauses: readonly { readonly from: number; readonly to: number }[];
  /** Added to times in lists. */
  readonly listSkewMs: number;
}

const TIMES_KEPT_MS = 400 * 24 * 3_600_000;

/**
 * Keeps everything. Channel 0 identifies sensor and scan. Channel 1 is always 1, so `count` counts measurements in averages.
 */
export class RecordedServer {
  readonly sensors: readonly RecordedSensor[];
  /** Delay of series behind lists. */
  seriesLagMs = 0;
  offsetMs = 0;
  /** The exporter's clock offset. Undefined: the true one. */
  believedOffsetMs: number | undefined;
  /** Error for every request. Undefined: up. */
  failure: ErrorCode | undefined;
  /** Errors for series of single sensors. */
  readonly failing = new Map<string, ErrorCode>();
  /** Replaces measured rows of single sensors. */
  readonly answers = new Map<string, readonly TimeSeriesRow[]>();
  /** Since a time: lists show their scans, series have gaps. */
  readonly down = new Map<string, number>();
  /** Scans that failed alone, and their repetitions, by sensor. Lists show the failure, series only the repetition. */
  readonly failedScans = new Map<string, { readonly at: number; readonly repeatedAt: number }>();
  intervalsKnown = true;
  /** Of all lists that the exporter reads in one period. */
  pagesPerList = 10;
  listPages = 0;
  /** `sensor/type` of every request. */
  readonly asked: string[] = [];
  /** Called when rows are built, before they arrive. */
  onAnswer: (() => void) | undefined;
  /** Values in all answered series rows. */
  answeredValues = 0;
  readonly #clock: Clock;
  readonly #latencyMs: number;

  constructor(clock: Clock, sensors: readonly RecordedSensor[], latencyMs = 200) {
    this.#clock = clock;
    this.sensors = sensors;
    this.#latencyMs = latencyMs;
  }

  now(): number {
    return this.#clock.now() + this.offsetMs;
  }

  clockOffset(): number {
    return this.believedOffsetMs ?? this.offsetMs;
  }

  sensor(id: string): RecordedSensor {
    const sensor = this.sensors.find((candidate) => candidate.id === id);
    if (sensor === undefined) throw new Error(`no sensor ${id}`);
    return sensor;
  }

  interval(id: string): number | undefined {
    return this.intervalsKnown ? this.sensor(id).intervalMs : undefined;
  }

  /** Times of successful scans, inclusive. */
  scans({ id, firstScanAt, intervalMs, pauses }: RecordedSensor, from: number, to: number): number[] {
    const scans: number[] = [];
    const failure = this.failedScans.get(id);
    const first = Math.max(0, Math.ceil((from - firstScanAt) / intervalMs));
    for (let at = firstScanAt + first * intervalMs; at <= to; at += intervalMs) {
      if (at !== failure?.at && !pauses.some((pause) => at >= pause.from && at < pause.to)) scans.push(at);
      const repeatedAt = at === failure?.at ? failure.repeatedAt : undefined;
      if (repeatedAt !== undefined && repeatedAt <= to) scans.push(repeatedAt);
    }
    return scans;
  }

  /** At or before `at`, failed or not. */
  lastScan(sensor: RecordedSensor, at: number): number | undefined {
    const regular = this.#lastRegularScan(sensor, at);
    const failure = this.failedScans.get(sensor.id);
    return failure !== undefined && regular === failure.at && failure.repeatedAt <= at ? failure.repeatedAt : regular;
  }

  #lastRegularScan(sensor: RecordedSensor, at: number): number | undefined {
    let end = sensor.firstScanAt + Math.floor((at - sensor.firstScanAt) / sensor.intervalMs) * sensor.intervalMs;
    for (;;) {
      if (end < sensor.firstScanAt) return undefined;
      const pause = sensor.pauses.find(({ from, to }) => end >= from && end < to);
      if (pause === undefined) return end;
      const before = pause.from - 1;
      end = sensor.firstScanAt + Math.floor((before - sensor.firstScanAt) / sensor.intervalMs) * sensor.intervalMs;
    }
  }

  value({ id, firstScanAt, intervalMs }: RecordedSensor, at: number): number {
    return Number(id) * 1e7 + (at - firstScanAt) / intervalMs;
  }

  /** Mean of the span at `at`. Undefined without a measurement until `now`. */
  average(sensor: RecordedSensor, type: SeriesType, at: number, now = Number.POSITIVE_INFINITY): number | undefined {
    const scans = this.scans(sensor, at, Math.min(at + SERIES_STEP_MS[type] - 1, now));
    if (scans.length === 0) return undefined;
    return scans.reduce((sum, scan) => sum + this.value(sensor, scan), 0) / scans.length;
  }

  list(): ChannelRecord[] {
    if (this.failure !== undefined) throw failed(this.failure);
    this.listPages += this.pagesPerList;
    return this.sensors.flatMap((sensor) => {
      const scan = this.lastScan(sensor, this.now());
      const measuredAt = scan === undefined ? undefined : scan + sensor.listSkewMs;
      const hasFailed = scan !== undefined && scan === this.failedScans.get(sensor.id)?.at;
      const value = scan === undefined || hasFailed ? undefined : this.value(sensor, scan);
      const record = { sensorId: sensor.id, name: "Channel", unit: "", measuredAt, limits: undefined };
      return [
        { ...record, channelId: "0", value },
        { ...record, channelId: "1", value: value === undefined ? undefined : 1 },
        { ...record, channelId: "-4", value: hasFailed ? 100 : undefined },
      ];
    });
  }

  async timeSeries(
    sensorId: string,
    type: SeriesType,
    signal: AbortSignal,
    { channelIds, newest = Number.POSITIVE_INFINITY }: SeriesPart = {},
  ): Promise<TimeSeries> {
    this.asked.push(`${sensorId}/${type}`);
    await this.#clock.sleep(this.#latencyMs / 2, signal);
    if (this.failure !== undefined) throw failed(this.failure);
    const failure = this.failing.get(sensorId);
    if (failure !== undefined) throw failed(failure);
    const whole = this.answers.get(sensorId) ?? this.#rows(this.sensor(sensorId), type);
    const all = channelIds === undefined ? whole : whole.map((row) => onlyThose(row, channelIds));
    this.answeredValues += all.reduce((sum, { values }) => sum + values.length, 0);
    this.onAnswer?.();
    await this.#clock.sleep(this.#latencyMs / 2, signal);
    const downAt = this.down.get(sensorId) ?? Number.POSITIVE_INFINITY;
    const gap = all.filter(({ at }) => at >= downAt).map(({ at }) => at);
    return {
      rows: all.filter(({ at }) => at < downAt).slice(-newest),
      gaps: [...gap.slice(0, 1), ...gap.slice(1).slice(-1)],
      skipped: 0,
    };
  }

  #rows(sensor: RecordedSensor, type: SeriesType): TimeSeriesRow[] {
    const now = this.now() - this.seriesLagMs;
    const from = Math.max(this.now() - SERIES_WINDOW_MS[type], this.now() - TIMES_KEPT_MS);
    if (type === "live") return this.scans(sensor, from, now).map((at) => row(at, this.value(sensor, at)));
    const step = SERIES_STEP_MS[type];
    const rows: TimeSeriesRow[] = [];
    // Includes the unfinished span.
    for (let at = Math.ceil(from / step) * step; at <= now; at += step) {
      const average = this.average(sensor, type, at, now);
      if (average !== undefined) rows.push(row(at, average));
    }
    return rows;
  }
}

function row(at: number, value: number): TimeSeriesRow {
  return {
    at,
    values: [
      ["0", value],
      ["1", 1],
    ],
  };
}

function onlyThose({ at, values }: TimeSeriesRow, channelIds: readonly string[]): TimeSeriesRow {
  return { at, values: values.filter(([channelId]) => channelIds.includes(channelId)) };
}

function failed(code: ErrorCode): ApiError {
  return new ApiError(code, "the server failed", { endpoint: "/experimental/timeseries/{id}/{type}" });
}
