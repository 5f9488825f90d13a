import type { ErrorCode } from "../errors/catalogue.ts";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { type KnownChannels, planChannels } from "../measurements/plan.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { TimeSeries } from "../prtg/records.ts";
import type { SeriesType } from "../prtg/series-types.ts";
import type { BackfillOptions } from "./begin-run.ts";
import { type DaySamples, dayOf, type HistoryDays } from "./day-parts.ts";
import type { PlannedSensor, SeriesRange } from "./plan.ts";

export interface SensorHistory {
  readonly days: HistoryDays;
  readonly samples: number;
  /** Unreadable rows, and channels outside of lists. */
  readonly skippedRows: number;
  readonly unknownChannels: number;
}

/**
 * Reads each series once.
 * @param onShare Called after each request with the share of the sensor's requests that are done.
 * @throws ApiError, or the signal's reason
 */
export async function readSensorHistory(
  api: Pick<MonitoringApi, "timeSeries">,
  sensor: PlannedSensor,
  ranges: readonly SeriesRange[],
  signal: AbortSignal,
  onShare: (share: number) => void = () => undefined,
): Promise<SensorHistory> {
  const channelIds = planChannels(channelsOf(sensor));
  const read = new Map<SeriesType, TimeSeries>();
  // The finest first, because its window moves fastest.
  const types = new Set(ranges.toReversed().map(({ type }) => type));
  for (const type of types) {
    read.set(type, await api.timeSeries(sensor.id, type, signal, { channelIds }));
    onShare(read.size / types.size);
  }
  const channels = new Map(
    sensor.channels.map(({ channelId, series }, position) => [channelId, { position, series: series.length }]),
  );
  const days = new Map<number, Map<number, DaySamples>>();
  const unknown = new Set<string>();
  let samples = 0;
  for (const { type, from, to } of ranges) {
    for (const { at, values } of read.get(type)?.rows ?? []) {
      if (at < from || at >= to) continue;
      const day = mapEntry(days, dayOf(at), () => new Map<number, DaySamples>());
      for (const [channelId, value] of values) {
        const channel = channels.get(channelId);
        if (channel === undefined) unknown.add(channelId);
        if (channel === undefined || channel.series === 0) continue;
        mapEntry(day, channel.position, () => []).push(at, value);
        samples += channel.series;
      }
    }
  }
  const skippedRows = read.values().reduce((sum, { skipped }) => sum + skipped, 0);
  return { days, samples, skippedRows, unknownChannels: unknown.size };
}

/** Groups channels by whether rules drop them. */
function channelsOf({ channels }: PlannedSensor): KnownChannels {
  const [kept, dropped]: [string[], string[]] = [[], []];
  for (const { channelId, series } of channels) (series.length > 0 ? kept : dropped).push(channelId);
  return { kept, dropped };
}

/** The cause of a failed read. */
export type FailureKind =
  /** The server is away. Waiting helps. */
  | "away"
  /** Only this sensor. */
  | "sensor"
  /** The sensor was deleted. */
  | "gone"
  /** The sensor is gone, or the server has no time series. */
  | "missing"
  /** The user must act, or it is a bug. */
  | "fatal";

const KINDS: Readonly<Partial<Record<ErrorCode, FailureKind>>> = {
  API_CONNECTION_FAILED: "away",
  API_PROXY_FAILED: "away",
  API_UNAVAILABLE: "away",
  API_SUSPENDED: "away",
  API_RATE_LIMITED: "away",
  API_SERVER_ERROR: "sensor",
  API_TIMEOUT: "sensor",
  API_EXECUTION_TIMEOUT: "sensor",
  API_NOT_JSON: "sensor",
  API_RESPONSE_TOO_LARGE: "sensor",
  API_LIST_TOO_LARGE: "sensor",
  API_MEMORY_FULL: "sensor",
  API_BAD_REQUEST: "sensor",
  API_FORBIDDEN: "sensor",
  API_NOT_FOUND: "gone",
  API_ENDPOINT_MISSING: "missing",
};

export function failureKind(error: unknown): FailureKind {
  return error instanceof ExporterError ? (KINDS[error.code] ?? "fatal") : "fatal";
}

const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 60_000;
/** Enough for a restart or an update. */
const PATIENCE_MS = 15 * 60_000;

export interface SensorReaderOptions extends Pick<BackfillOptions, "api" | "clock" | "log"> {
  /** The current ranges, see `renewSeriesRanges`. */
  readonly ranges: () => readonly SeriesRange[];
}

export type ReadOutcome =
  | { readonly kind: "read"; readonly history: SensorHistory }
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly error: unknown };

/** Waits while the server is away. */
export class SensorReader {
  readonly #options: SensorReaderOptions;
  #lastAnswer: number;
  readonly #away = new LogOnChange();
  #sensors: Promise<ReadonlySet<string>> | undefined;

  constructor(options: SensorReaderOptions) {
    this.#options = options;
    this.#lastAnswer = options.clock.monotonic();
  }

  /**
   * Rejects with failures of all sensors (refused key, missing server), or the signal's reason.
   * @param onShare As for `readSensorHistory`. Begins again after a failure.
   */
  async read(sensor: PlannedSensor, signal: AbortSignal, onShare?: (share: number) => void): Promise<ReadOutcome> {
    const { api, clock, ranges } = this.#options;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      try {
        const history = await readSensorHistory(api, sensor, ranges(), signal, onShare);
        this.#answered();
        return { kind: "read", history };
      } catch (error) {
        signal.throwIfAborted();
        const outcome = await this.#judge(sensor, error, signal);
        if (outcome !== undefined) return outcome;
        await clock.sleep(waitMs, signal);
      }
    }
  }

  async #judge(sensor: PlannedSensor, error: unknown, signal: AbortSignal): Promise<ReadOutcome | undefined> {
    const { clock, log } = this.#options;
    const kind = failureKind(error);
    if (kind === "fatal") throw error;
    if (kind === "missing" && (await this.#exists(sensor.id, signal))) throw error;
    if (kind === "gone" || kind === "missing") return { kind: "gone" };
    if (clock.monotonic() - this.#lastAnswer > PATIENCE_MS) throw error;
    if (kind === "sensor") return { kind: "failed", error };
    if (this.#away.record()) log.warn(`waiting for the server: ${describeError(error)}`);
    return undefined;
  }

  #answered(): void {
    this.#lastAnswer = this.#options.clock.monotonic();
    if (this.#away.over() > 0) this.#options.log.warn("the server answers again");
  }

  /** Whether the sensor still exists. */
  async #exists(id: string, signal: AbortSignal): Promise<boolean> {
    this.#sensors ??= this.#options.api
      .nodes("sensor", {}, signal)
      .then(({ items }) => new Set(items.map((record) => record.id)));
    return (await this.#sensors).has(id);
  }
}
