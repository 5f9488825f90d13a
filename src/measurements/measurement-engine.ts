import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import { mapEntry } from "../lib/map-entry.ts";
import type { Steps } from "../lib/yielding.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ChannelRecords, TimeSeries, TimeSeriesRow } from "../prtg/records.ts";
import type { SeriesType } from "../prtg/series-types.ts";
import type { MeasurementRecorder } from "../telemetry/recorders.ts";
import type { Delivery } from "./delivery.ts";
import {
  type ChannelGroup,
  channelsBySensor,
  measurementsAfter,
  type Repeats,
  repeatTime,
  timesBetween,
} from "./list-measurements.ts";
import type { MeasurementRow } from "./measurement.ts";
import { FUTURE_SLACK_MS, medianSpacing, mergeSeries } from "./plan.ts";
import { type ListMeasurement, type MeasurementMode, SensorMeasurements } from "./sensor-measurements.ts";
import {
  type CycleLimits,
  type CycleReport,
  dueSensors,
  type ReadBefore,
  SeriesCycle,
  type SeriesCycleOptions,
  SeriesHealth,
} from "./series-cycle.ts";

/** Newer rows may be dropped. The rest of the live window is left to read them again. */
const READABLE_AGAIN_MS = 3 * 60 * 60_000;
/** Watermarks stay for this time in case sensors come back. */
const FORGET_AFTER_MS = 7 * 24 * 60 * 60_000;
/** One per type of series. */
const MIN_REQUESTS = 4;
/** Sensors that are read to find out whether series can be read again. */
const PROBES = 3;
/** Time until the second list. */
const ASSUMED_LIST_PERIOD_MS = 60_000;

/** The state of all sensors. Another engine with the same mode and delivery can continue it. */
export class MeasurementProgress {
  readonly sensors = new Map<string, SensorMeasurements>();
  readonly series = new SeriesHealth();
  lists = 0;
}

export interface MeasurementEngineOptions
  extends Pick<SeriesCycleOptions, "mode" | "limits" | "extras" | "clock" | "channelsOf"> {
  readonly api: Pick<MonitoringApi, "timeSeries" | "listPages" | "clockOffset" | "isClockInDoubt">;
  /** `undefined`: no push. Series are read for the newest values only. */
  readonly delivery: Delivery | undefined;
  readonly progress: MeasurementProgress;
  readonly log: Logger;
  readonly observer: MeasurementRecorder;
  /** A series has a newer measurement than lists. Milliseconds since the epoch. */
  readonly onFreshest: (sensorId: string, at: number, values: MeasurementRow["values"]) => void;
  /** `undefined`: no repeats. */
  readonly repeats?: Repeats | undefined;
}

/** Milliseconds; `undefined` if the server does not report it. */
export type IntervalOf = (sensorId: string) => number | undefined;

export interface ListPoll {
  /** Monotonic milliseconds. `undefined`: nothing is repeated. */
  readonly requestedAt?: number;
  readonly slices?: Steps;
}

/** Delivers every measurement of one server once, oldest first per sensor, across outages and restarts. */
export class MeasurementEngine {
  readonly #options: MeasurementEngineOptions;
  readonly #delivery: Delivery | undefined;
  readonly #progress: MeasurementProgress;
  /** Pages of lists that counted for a cycle. */
  #listPages: number;

  constructor(options: MeasurementEngineOptions) {
    this.#options = options;
    this.#delivery = options.delivery;
    this.#progress = options.progress;
    this.#listPages = options.api.listPages();
  }

  /** Processes a list of all channels. */
  async onListPoll(channels: ChannelRecords, intervalOf: IntervalOf, poll: ListPoll = {}): Promise<void> {
    this.#progress.lists++;
    this.#followSeries(({ series }) => series.list(this.#options.clock.monotonic()));
    await this.#takeChannels(channels, intervalOf, poll);
    this.#forgetUnlisted();
    this.#delivery?.notify();
  }

  /**
   * Reads due time series. Keeps what was read before a failure.
   * @throws ApiError, or the signal's reason
   */
  async readDue(signal: AbortSignal): Promise<CycleReport> {
    const cycle = new SeriesCycle(this.#due(), {
      ...this.#options,
      limits: this.#limits(),
      serverNow: () => this.#serverNow(),
      onRead: (sensor, series, before) => this.#read(sensor, series, before),
    });
    try {
      const report = await cycle.run(signal);
      if (report.read > 0) this.#followSeries(({ series }) => series.recover());
      return report;
    } catch (error) {
      if (!signal.aborted) this.#followSeries(({ series }) => (cycle.read > 0 ? series.recover() : series.fail(error)));
      throw error;
    }
  }

  /** Without a receiver, `auto` at most doubles the requests of the lists. */
  #limits(): CycleLimits {
    const { api, mode, limits, delivery } = this.#options;
    const requests = Math.max(limits.requests, MIN_REQUESTS);
    const pages = Math.floor(api.listPages() - this.#listPages);
    this.#listPages += pages;
    const isBound = delivery === undefined && mode === "auto";
    return { ...limits, requests: isBound ? Math.min(requests, pages) : requests };
  }

  #due(): readonly SensorMeasurements[] {
    const { clock, mode } = this.#options;
    const { sensors, series, lists } = this.#progress;
    const current = [...sensors.values()].filter(({ lastList }) => this.#isCurrent(lastList));
    const due = dueSensors(current, mode, clock.monotonic());
    if (!series.isFailing || mode === "off" || this.#delivery === undefined) return due;
    // Others in each cycle, because a sensor may have a fault of its own.
    const first = (lists * PROBES) % Math.max(1, current.length);
    const probes = [...current.slice(first), ...current.slice(0, first)].slice(0, PROBES);
    return [...new Set([...probes, ...due])];
  }

  /** Reports when the lists replace the series, and when the series are back. */
  #followSeries(change: (progress: MeasurementProgress) => void): void {
    const { delivery, observer, log } = this.#options;
    const before = this.#progress.series.failure;
    change(this.#progress);
    const { failure } = this.#progress.series;
    if (delivery === undefined || (before === undefined) === (failure === undefined)) return;
    observer.seriesUnreadable(failure !== undefined);
    if (failure === undefined) log.info("time series can be read again: the push continues with every measurement");
    else
      log.warn(
        `no time series can be read: only the values of the lists are pushed, and the history between them is missing: ${describeError(failure)}`,
      );
  }

  /** The mode of a sensor. `off` while the lists have to replace its series. */
  #modeOf({ covered }: SensorMeasurements): MeasurementMode {
    const replaced = this.#delivery !== undefined && this.#progress.series.replacesSeries(covered !== undefined);
    return replaced ? "off" : this.#options.mode;
  }

  /** Whether it was in the last list or the one before, because a list can be on its way. */
  #isCurrent(lastList: number): boolean {
    return lastList >= this.#progress.lists - 1;
  }

  async #takeChannels(
    channels: ChannelRecords,
    intervalOf: IntervalOf,
    { requestedAt, slices }: ListPoll,
  ): Promise<void> {
    let now = this.#serverNow();
    for (const group of channelsBySensor(channels)) {
      const turn = slices?.step();
      if (turn !== undefined) {
        await turn;
        now = this.#serverNow();
      }
      if (group === undefined) continue;
      const sensor = this.#sensor(group.sensorId);
      this.#takeGroup(sensor, group, intervalOf(group.sensorId), now);
      if (requestedAt !== undefined) this.#repeat(sensor, requestedAt);
    }
  }

  #repeat(sensor: SensorMeasurements, requestedAt: number): void {
    const { repeats, api, clock } = this.#options;
    const delivery = this.#delivery;
    const { sensorId, listRequestedAt = requestedAt - ASSUMED_LIST_PERIOD_MS } = sensor;
    sensor.listRequestedAt = requestedAt;
    if (repeats === undefined || delivery === undefined || api.isClockInDoubt()) return;
    const request = {
      // By the server's clock as known now.
      at: this.#serverNow() - (clock.monotonic() - requestedAt),
      periodMs: requestedAt - listRequestedAt,
      isHeldBack: () => repeats.isHeldBack(sensorId),
    };
    const at = repeatTime(sensor, request, repeats.intervalMs, delivery.watermarks.repeatedAt(sensorId));
    if (at === undefined) return;
    const values = repeats.valuesOf(sensorId);
    if (values.length > 0) delivery.repeat(sensorId, at, values);
  }

  #serverNow(): number {
    return this.#options.clock.now() + this.#options.api.clockOffset();
  }

  #takeGroup(sensor: SensorMeasurements, channels: ChannelGroup, intervalMs: number | undefined, now: number): void {
    sensor.lastList = this.#progress.lists;
    sensor.setInterval(intervalMs);
    if (sensor.isAhead(now)) followClock(sensor, channels, now);
    if (this.#takesList(sensor, channels, now)) this.#takeList(sensor, channels, now);
    sensor.endList();
  }

  #takeList(sensor: SensorMeasurements, channels: ChannelGroup, now: number): void {
    const newest = sensor.newest?.at ?? Number.NEGATIVE_INFINITY;
    const points = measurementsAfter(channels, newest, this.#delivery !== undefined);
    const newestAt = points.findLast(({ at }) => at <= now + FUTURE_SLACK_MS)?.at;
    if (newestAt === undefined) return;
    for (const point of points) if (point.at <= newestAt) this.#observe(sensor, point, newestAt);
  }

  #takesList(sensor: SensorMeasurements, channels: ChannelGroup, now: number): boolean {
    const mode = this.#modeOf(sensor);
    // Without a receiver only the newest matters. In `all` lists do not matter.
    if (this.#delivery === undefined || mode === "all") return true;
    const times = timesBetween(channels, sensor.knownSince, now + FUTURE_SLACK_MS);
    return times === undefined || sensor.takesList(times, mode);
  }

  #sensor(sensorId: string): SensorMeasurements {
    const create = () => new SensorMeasurements(sensorId, this.#delivery?.coveredOf(sensorId));
    return mapEntry(this.#progress.sensors, sensorId, create);
  }

  #observe(sensor: SensorMeasurements, point: ListMeasurement, newestAt?: number): void {
    const mode = this.#modeOf(sensor);
    const pushes = this.#delivery !== undefined;
    const position = sensor.observe(point, { mode, pushes, now: this.#serverNow(), newestAt });
    if (position === "next") this.#sendPoint(sensor, point);
  }

  #sendPoint(sensor: SensorMeasurements, { at, values }: ListMeasurement): void {
    const row: MeasurementRow = { sensorId: sensor.sensorId, at, resolution: "live", values };
    if (this.#take(sensor, row, "list")) return;
    if (this.#modeOf(sensor) === "off") this.#options.observer.dropped(values.length);
    else this.#dropNewest(sensor);
  }

  #take(sensor: SensorMeasurements, row: MeasurementRow, origin: "list" | "series"): boolean {
    if (this.#delivery !== undefined && this.#delivery.outbox.offer(row) !== "taken") return false;
    sensor.take(row, origin);
    return true;
  }

  /** Makes room by dropping what the server still has. */
  #dropNewest(sensor: SensorMeasurements): void {
    const points = this.#delivery?.outbox.drop(sensor.sensorId, this.#serverNow() - READABLE_AGAIN_MS) ?? 0;
    if (points > 0) this.#options.observer.dropped(points);
    sensor.fallBack(this.#delivery?.coveredOf(sensor.sensorId));
  }

  #read(sensor: SensorMeasurements, series: ReadonlyMap<SeriesType, TimeSeries>, before: ReadBefore): void {
    const { sensorId, covered } = sensor;
    // The sensor was removed and added again.
    if (this.#progress.sensors.get(sensorId) !== sensor) return;
    const live = series.get("live")?.rows ?? [];
    sensor.recordRead();
    sensor.learnInterval(medianSpacing(live));
    this.#showFreshest(sensor, live.at(-1));
    // Rows were dropped meanwhile, and the series may not reach back to them.
    if (covered !== before.covered) return;
    const now = this.#serverNow();
    const rows = mergeSeries(series, {
      sensorId,
      covered,
      sameWithinMs: sensor.sameInSeriesWithinMs,
      now,
      upTo: sensor.sendsUpTo(now),
      repeatedAt: this.#delivery?.watermarks.repeatedAt(sensorId),
    });
    const allTaken = rows.every((row) => this.#take(sensor, row, "series"));
    if (allTaken) this.#readThrough(sensor, before, rows.length > 0, series.get("live")?.gaps.at(-1));
    this.#delivery?.notify();
  }

  #showFreshest({ sensorId, newest }: SensorMeasurements, row: TimeSeriesRow | undefined): void {
    if (row === undefined || row.at <= (newest?.at ?? Number.NEGATIVE_INFINITY)) return;
    this.#options.onFreshest(sensorId, row.at, row.values);
  }

  /**
   * Closes the gap unless the list has more than the series.
   * @param reachedAt End of the last gap, milliseconds since the epoch.
   */
  #readThrough(sensor: SensorMeasurements, { newestAt }: ReadBefore, progressed: boolean, reachedAt?: number): void {
    const { newest } = sensor;
    if (newestAt === undefined || newest === undefined || this.#options.mode === "all") return;
    const isNext = sensor.readThrough(newestAt, progressed, reachedAt);
    if (newest.at > newestAt) this.#observe(sensor, newest);
    else if (isNext) this.#sendPoint(sensor, newest);
  }

  /** Watermarks stay for some days in case sensors come back. */
  #forgetUnlisted(): void {
    for (const [sensorId, { lastList }] of this.#progress.sensors) {
      if (!this.#isCurrent(lastList)) this.#progress.sensors.delete(sensorId);
    }
    const { watermarks } = this.#delivery ?? {};
    // Either clock may be wrong.
    const longAgo = Math.min(this.#serverNow(), this.#options.clock.now()) - FORGET_AFTER_MS;
    for (const [sensorId, { until }] of watermarks?.entries() ?? []) {
      if (until < longAgo && !this.#progress.sensors.has(sensorId)) watermarks?.delete(sensorId);
    }
    this.#delivery?.saveWatermarks();
  }
}

function followClock(sensor: SensorMeasurements, channels: ChannelGroup, now: number): void {
  const times = timesBetween(channels, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  if (times !== undefined) sensor.followClock(times.newest, now);
}
