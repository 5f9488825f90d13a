import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import type { Steps } from "../lib/yielding.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ChannelRecord, TimeSeries, TimeSeriesRow } from "../prtg/records.ts";
import type { SeriesType } from "../prtg/series-types.ts";
import type { SyncRecorder } from "../telemetry/recorders.ts";
import { channelsBySensor, measurementsAfter, type SensorChannels, timesBetween } from "./listed-measurements.ts";
import type { MeasurementRow, MeasurementSink, Resolution } from "./measurement.ts";
import { coveredUntil } from "./measurement.ts";
import { Outbox, type Pending } from "./outbox.ts";
import { FUTURE_SLACK_MS, medianSpacing, mergeSeries } from "./plan.ts";
import { PushLoop } from "./push-loop.ts";
import { type ListedMeasurement, SensorSync, type SyncMode } from "./sensor-sync.ts";
import { type CycleLimits, type CycleReport, dueSensors, type ReadBefore, SeriesCycle } from "./series-cycle.ts";
import { WatermarkSaver } from "./watermark-saver.ts";
import type { Watermarks } from "./watermarks.ts";

/** What the server gives in full again may be dropped; the rest of the live window is the time to read it again. */
const READABLE_AGAIN_MS = 3 * 60 * 60_000;
/** Watermarks of sensors that no list shows any more are kept this long, in case they come back. */
const FORGET_AFTER_MS = 7 * 24 * 60 * 60_000;
/** A sensor may need one request for each type of series. */
const MIN_REQUESTS = 4;

/** Where measurements are pushed, and what is remembered of that. */
export interface SyncTarget {
  readonly sink: MeasurementSink;
  readonly watermarks: Watermarks;
  /** Values that may wait in memory. */
  readonly maxPendingPoints: number;
  /** Values in one call of the sink. */
  readonly maxBatchPoints: number;
}

export interface SyncEngineOptions {
  readonly api: Pick<MonitoringApi, "timeSeries" | "clockOffset">;
  readonly mode: SyncMode;
  /** Undefined: nothing is pushed, series are read for the freshest values only. */
  readonly target: SyncTarget | undefined;
  /** Of one `readDue`; its period is that of the schedule. */
  readonly limits: CycleLimits;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Bound to the server. */
  readonly log: Logger;
  readonly observer: SyncRecorder;
  /** A series holds a newer measurement than lists have shown. Its time is in milliseconds since the epoch. */
  readonly onFreshest: (sensorId: string, at: number, values: MeasurementRow["values"]) => void;
}

/** Scanning interval of a sensor in milliseconds; undefined where the server does not tell. */
export type IntervalOf = (sensorId: string) => number | undefined;

/** The way of measurements to the receiver: it outlasts an engine. */
interface Delivery {
  readonly outbox: Outbox;
  readonly pushLoop: PushLoop;
  readonly saver: WatermarkSaver;
}

/**
 * Keeps a receiver in step with one server: every measurement once, oldest first per sensor, across outages of either
 * side and restarts of ours.
 */
export class SyncEngine {
  readonly #options: SyncEngineOptions;
  readonly #delivery: Delivery | undefined;
  readonly #sensors = new Map<string, SensorSync>();
  /** Lists taken over so far. */
  #list = 0;

  constructor(options: SyncEngineOptions, delivery = createDelivery(options)) {
    this.#options = options;
    this.#delivery = delivery;
  }

  /**
   * An engine with other settings, which goes on where this one is: what waits to be delivered, and what is known of that,
   * is theirs together. This one must not be used any more, and nothing be under way in it.
   */
  followedBy(settings: Pick<SyncEngineOptions, "mode" | "limits">): SyncEngine {
    return new SyncEngine({ ...this.#options, ...settings }, this.#delivery);
  }

  /** True where measurements are pushed. */
  get pushes(): boolean {
    return this.#delivery !== undefined;
  }

  get #outbox(): Outbox | undefined {
    return this.#delivery?.outbox;
  }

  /** Begins to deliver. */
  start(): void {
    this.#delivery?.pushLoop.start();
  }

  /** Delivers what waits within `graceMs`, then writes the watermarks. Call when polling has ended. Never rejects. */
  async flush(graceMs: number): Promise<void> {
    await this.#delivery?.pushLoop.flush(graceMs);
    await this.#delivery?.saver.end();
  }

  /** Values that wait to be delivered, by resolution; resolutions of which nothing waits are left out. */
  pending(): ReadonlyMap<Resolution, Pending> {
    return this.#outbox?.pending() ?? new Map();
  }

  /** Takes over a list of all channels, a sensor a step. */
  async onListPoll(channels: readonly ChannelRecord[], intervalOf: IntervalOf, slices?: Steps): Promise<void> {
    this.#list++;
    for (const group of channelsBySensor(channels)) {
      const turn = slices?.step();
      if (turn !== undefined) await turn;
      if (group !== undefined) this.#listed(group, intervalOf(group.sensorId));
    }
    this.#forgetUnlisted();
    this.#delivery?.pushLoop.notify();
  }

  /**
   * One cycle of reading time series. Rejects with an ApiError when the server fails, or with the signal's reason. What
   * was read until then is not lost.
   */
  readDue(signal: AbortSignal): Promise<CycleReport> {
    const { api, clock, mode, limits, target } = this.#options;
    const listed = [...this.#sensors.values()].filter(({ listedIn }) => this.#isListed(listedIn));
    const cycle = new SeriesCycle(dueSensors(listed, mode, clock.monotonic()), {
      api,
      clock,
      limits: { ...limits, requests: Math.max(limits.requests, MIN_REQUESTS) },
      serverNow: () => this.#serverNow(),
      liveOnly: target === undefined,
      relyOnLists: mode === "auto",
      hasRoom: () => this.#outbox?.isCrowded !== true,
      onRead: (sensor, series, before) => this.#read(sensor, series, before),
    });
    return cycle.run(signal);
  }

  /** In the last list, or in the one before: a list may be on the way in, or lack something that is there. */
  #isListed(listedIn: number): boolean {
    return listedIn >= this.#list - 1;
  }

  #serverNow(): number {
    return this.#options.clock.now() + this.#options.api.clockOffset();
  }

  #listed(channels: SensorChannels, intervalMs: number | undefined): void {
    const { sensorId } = channels;
    const now = this.#serverNow();
    const sensor = this.#sensor(sensorId);
    sensor.listedIn = this.#list;
    sensor.setInterval(intervalMs);
    if (sensor.isAhead(now)) followClock(sensor, channels, now);
    if (!this.#takesList(sensor, channels, now)) return;
    for (const point of measurementsAfter(channels, sensor.newest?.at ?? Number.NEGATIVE_INFINITY)) {
      if (point.at > now + FUTURE_SLACK_MS) break;
      this.#onListed(sensor, point);
    }
  }

  #takesList(sensor: SensorSync, channels: SensorChannels, now: number): boolean {
    const { mode, target } = this.#options;
    // Without a receiver only the newest matters, and where every series is read, no list does.
    if (target === undefined || mode === "all") return true;
    const times = timesBetween(channels, sensor.knownSince, now + FUTURE_SLACK_MS);
    return times === undefined || sensor.takesList(times, mode);
  }

  #sensor(sensorId: string): SensorSync {
    const known = this.#sensors.get(sensorId);
    if (known !== undefined) return known;
    const sensor = new SensorSync(sensorId, this.#coveredBefore(sensorId));
    this.#sensors.set(sensorId, sensor);
    return sensor;
  }

  /** As far as what waits and what was acknowledged reach. */
  #coveredBefore(sensorId: string): number | undefined {
    const waiting = this.#outbox?.newestOf(sensorId);
    return waiting === undefined ? this.#options.target?.watermarks.get(sensorId) : coveredUntil(waiting);
  }

  #onListed(sensor: SensorSync, point: ListedMeasurement): void {
    const { mode, target } = this.#options;
    const position = sensor.listed(point, { mode, pushes: target !== undefined, now: this.#serverNow() });
    if (position === "next") this.#sendListed(sensor, point);
  }

  #sendListed(sensor: SensorSync, { at, values }: ListedMeasurement): void {
    const row: MeasurementRow = { sensorId: sensor.sensorId, at, resolution: "live", values };
    if (this.#take(sensor, row, "list")) return;
    if (this.#options.mode === "off") this.#options.observer.dropped(values.length);
    else this.#dropNewest(sensor);
  }

  #take(sensor: SensorSync, row: MeasurementRow, origin: "list" | "series"): boolean {
    if (this.#outbox !== undefined && this.#outbox.offer(row) !== "taken") return false;
    sensor.took(row, origin);
    return true;
  }

  /** There is no room: dropping what the server gives in full again makes some. */
  #dropNewest(sensor: SensorSync): void {
    const points = this.#outbox?.drop(sensor.sensorId, this.#serverNow() - READABLE_AGAIN_MS) ?? 0;
    if (points > 0) this.#options.observer.dropped(points);
    sensor.fallBack(this.#coveredBefore(sensor.sensorId));
  }

  #read(sensor: SensorSync, series: ReadonlyMap<SeriesType, TimeSeries>, before: ReadBefore): void {
    const { sensorId, covered } = sensor;
    // It went and came back meanwhile, and is another one now.
    if (this.#sensors.get(sensorId) !== sensor) return;
    const live = series.get("live")?.rows ?? [];
    sensor.readWorked();
    sensor.learnInterval(medianSpacing(live));
    this.#showFreshest(sensor, live.at(-1));
    // Rows were dropped meanwhile: what was read may not reach back to them.
    if (covered !== before.covered) return;
    const now = this.#serverNow();
    const rows = mergeSeries(series, {
      sensorId,
      covered,
      sameWithinMs: sensor.sameInSeriesWithinMs,
      now,
      upTo: sensor.sendsUpTo(now),
    });
    const allTaken = rows.every((row) => this.#take(sensor, row, "series"));
    if (allTaken) this.#readThrough(sensor, before, rows.length > 0);
    this.#delivery?.pushLoop.notify();
  }

  #showFreshest({ sensorId, newest }: SensorSync, row: TimeSeriesRow | undefined): void {
    if (row === undefined || row.at <= (newest?.at ?? Number.NEGATIVE_INFINITY)) return;
    this.#options.onFreshest(sensorId, row.at, row.values);
  }

  /** Closes the gap, or leaves it open where the list knows of more than the series have. */
  #readThrough(sensor: SensorSync, { newestAt }: ReadBefore, progressed: boolean): void {
    const { newest } = sensor;
    if (newestAt === undefined || newest === undefined || this.#options.mode === "all") return;
    const isNext = sensor.readThrough(newestAt, progressed);
    if (newest.at > newestAt) this.#onListed(sensor, newest);
    else if (isNext) this.#sendListed(sensor, newest);
  }

  /** Sensors that lists no longer show; their watermarks stay for some days, in case they come back. */
  #forgetUnlisted(): void {
    for (const [sensorId, { listedIn }] of this.#sensors) {
      if (!this.#isListed(listedIn)) this.#sensors.delete(sensorId);
    }
    const { watermarks } = this.#options.target ?? {};
    // By both clocks: one may be wrong.
    const longAgo = Math.min(this.#serverNow(), this.#options.clock.now()) - FORGET_AFTER_MS;
    for (const [sensorId, at] of watermarks?.entries() ?? []) {
      if (at < longAgo && !this.#sensors.has(sensorId)) watermarks?.delete(sensorId);
    }
    this.#delivery?.saver.notify();
  }
}

function followClock(sensor: SensorSync, channels: SensorChannels, now: number): void {
  const times = timesBetween(channels, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  if (times !== undefined) sensor.followClock(times.newest, now);
}

function createDelivery({ target, clock, random, log, observer }: SyncEngineOptions): Delivery | undefined {
  if (target === undefined) return undefined;
  const { sink, watermarks, maxPendingPoints, maxBatchPoints } = target;
  const saver = new WatermarkSaver({ watermarks, clock, log, observer });
  const outbox = new Outbox(maxPendingPoints);
  const pushLoop = new PushLoop({
    sink,
    outbox,
    clock,
    random,
    log,
    observer,
    maxBatchPoints,
    onSettled: ({ rows }) => {
      for (const row of rows) watermarks.move(row.sensorId, coveredUntil(row));
      saver.notify();
    },
  });
  return { outbox, pushLoop, saver };
}
