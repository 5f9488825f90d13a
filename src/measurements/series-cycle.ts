import type { ErrorCode } from "../errors/catalogue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Extras } from "../lib/extra-work.ts";
import { ApiError, mayBeOfOneObject } from "../prtg/api-error.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { TimeSeries } from "../prtg/records.ts";
import type { SeriesType } from "../prtg/series-types.ts";
import type { Delivery } from "./delivery.ts";
import { type KnownChannels, planChannels, planReading } from "./plan.ts";
import type { MeasurementMode, SensorMeasurements } from "./sensor-measurements.ts";

const CONCURRENCY = 2;

/** These concern one sensor. Other failures end the cycle. */
const SERIES_FAILURES: readonly ErrorCode[] = ["API_NOT_FOUND", "API_ENDPOINT_MISSING", "API_MEMORY_FULL"];

/** More failures without a success do not concern single sensors. */
const ENOUGH_FAILURES = 3;
/** Gaps should close soon even if there are few reads. */
const MAX_SPACING_MS = 1_000;
/** Part of the period in which reads start, so that the last ones end within it. */
const SPREAD = 0.9;
/** Enough to find the interval, and some rows ahead of their time. */
const NEWEST_ROWS = 32;
const SERIES = "timeseries";

export interface CycleReport {
  /** Sensors that need a read. */
  readonly due: number;
  readonly read: number;
  readonly failed: number;
  readonly requests: number;
  /** Left for a later cycle, because the process was busy. */
  readonly deferred: number;
}

export interface SeriesCycleOptions {
  readonly api: Pick<MonitoringApi, "timeSeries">;
  readonly mode: MeasurementMode;
  /** `undefined`: only the newest measurement matters. */
  readonly delivery: Pick<Delivery, "outbox"> | undefined;
  readonly clock: Clock;
  readonly limits: CycleLimits;
  readonly serverNow: () => number;
  /** Pauses reads while the process is busy. */
  readonly extras: Extras;
  /** The channels that a sensor needs now. Called before and after each read. `undefined`: all. */
  readonly channelsOf?: (sensorId: string) => KnownChannels | undefined;
  readonly onRead: (
    sensor: SensorMeasurements,
    series: ReadonlyMap<SeriesType, TimeSeries>,
    before: ReadBefore,
  ) => void;
}

/** State before the read. */
export interface ReadBefore {
  readonly covered: number | undefined;
  readonly newestAt: number | undefined;
}

/** Reads series in order until the budget, the period or the room is used up. */
export class SeriesCycle {
  readonly #options: SeriesCycleOptions;
  readonly #due: readonly SensorMeasurements[];
  readonly #budget: CycleBudget;
  #next = 0;
  #read = 0;
  #failed = 0;
  #requests = 0;
  #isHeldBack = false;
  #failure: unknown;
  #sensorFailure: unknown;

  constructor(due: readonly SensorMeasurements[], options: SeriesCycleOptions) {
    this.#options = options;
    this.#due = due;
    this.#budget = new CycleBudget(options.clock, options.limits, due.length);
  }

  /** Number of sensors that were read. */
  get read(): number {
    return this.#read;
  }

  /**
   * Rejects if the server fails, if no sensor can be read, and with the signal's reason. Other failures wait for a
   * later cycle.
   */
  async run(signal: AbortSignal): Promise<CycleReport> {
    await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#work(signal)));
    signal.throwIfAborted();
    if (this.#failure === undefined && this.#nothingWorks()) this.#failure = this.#sensorFailure;
    if (this.#failure !== undefined) throw this.#failure;
    const [due, read, failed] = [this.#due.length, this.#read, this.#failed];
    // The budget would have excluded the others anyway.
    const deferred = this.#isHeldBack ? Math.min(due - read - failed, this.#budget.left) : 0;
    this.#options.extras.countDeferred(deferred);
    return { due, read, failed, requests: this.#requests, deferred };
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { delivery } = this.#options;
    while (this.#failure === undefined && !signal.aborted && delivery?.outbox.isCrowded !== true) {
      const sensor = this.#due[this.#next];
      if (sensor === undefined) return;
      const types = this.#plan(sensor);
      if (!this.#budget.allows(types.length)) return;
      this.#next++;
      try {
        if (!(await this.#readInTurn(sensor, types, signal))) return;
        this.#read++;
      } catch (error) {
        this.#noteFailure(sensor, error);
      }
    }
  }

  /** False if the process is too busy in this cycle. */
  async #readInTurn(sensor: SensorMeasurements, types: readonly SeriesType[], signal: AbortSignal): Promise<boolean> {
    const { extras, clock, mode, serverNow } = this.#options;
    await this.#budget.next(signal);
    const ageMs = (mode === "all" ? clock.monotonic() : serverNow()) - missingSince(sensor, mode);
    const read = { collector: SERIES, ageMs, deadline: this.#budget.lastStart };
    const end = await extras.acquire(read, signal);
    if (end === undefined) {
      this.#isHeldBack = true;
      this.#budget.giveBack();
      return false;
    }
    sensor.lastReadAt = clock.monotonic();
    try {
      await this.#readSensor(sensor, types, signal);
    } finally {
      end();
    }
    return true;
  }

  #plan({ covered, newestListTime }: SensorMeasurements): readonly SeriesType[] {
    const { serverNow, delivery, mode } = this.#options;
    if (delivery === undefined) return ["live"];
    // Lists show which series have rows.
    return planReading({ covered, newest: mode === "auto" ? newestListTime : undefined, now: serverNow() });
  }

  async #readSensor(sensor: SensorMeasurements, types: readonly SeriesType[], signal: AbortSignal): Promise<void> {
    const { api, onRead, delivery, channelsOf = () => undefined } = this.#options;
    const { sensorId } = sensor;
    const newest = delivery === undefined ? NEWEST_ROWS : undefined;
    const channelIds = planChannels(channelsOf(sensorId));
    const before: ReadBefore = { covered: sensor.covered, newestAt: sensor.newest?.at };
    const series = new Map<SeriesType, TimeSeries>();
    for (const [index, type] of types.entries()) {
      if (index > 0) await this.#budget.next(signal);
      this.#requests++;
      series.set(type, await api.timeSeries(sensorId, type, signal, { channelIds: channelIds, newest }));
    }
    // Now more channels are needed: rows without them must not count as sent.
    if (channelIds !== undefined && planChannels(channelsOf(sensorId))?.every((id) => channelIds.includes(id)) !== true)
      return;
    onRead(sensor, series, before);
  }

  #noteFailure(sensor: SensorMeasurements, error: unknown): void {
    if (!(error instanceof ApiError) || !(mayBeOfOneObject(error) || SERIES_FAILURES.includes(error.code))) {
      this.#failure ??= error;
      return;
    }
    this.#failed++;
    this.#sensorFailure = error;
    sensor.recordFailure(this.#options.clock.monotonic());
    if (error.code === "API_ENDPOINT_MISSING" && this.#nothingWorks()) this.#failure ??= error;
  }

  #nothingWorks(): boolean {
    return this.#read === 0 && this.#failed >= Math.min(ENOUGH_FAILURES, this.#due.length) && this.#failed > 0;
  }
}

export interface CycleLimits {
  readonly requests: number;
  readonly periodMs: number;
}

/** Spreads the requests of one cycle over its period, within the budget. */
export class CycleBudget {
  readonly #clock: Clock;
  readonly #end: number;
  /** Monotonic milliseconds. No read waits longer, because the next cycle is near. */
  readonly lastStart: number;
  readonly #spacingMs: number;
  #left: number;
  #nextStart: number;

  constructor(clock: Clock, { requests, periodMs }: CycleLimits, expected: number) {
    this.#clock = clock;
    this.#left = requests;
    this.#nextStart = clock.monotonic();
    this.#end = this.#nextStart + periodMs;
    this.lastStart = this.#nextStart + SPREAD * periodMs;
    const spread = (SPREAD * periodMs) / Math.max(1, Math.min(requests, expected));
    this.#spacingMs = Math.min(spread, MAX_SPACING_MS);
  }

  /** Whether so many requests fit into this cycle. */
  allows(requests: number): boolean {
    return this.#left >= requests && Math.max(this.#nextStart, this.#clock.monotonic()) < this.#end;
  }

  get left(): number {
    return this.#left;
  }

  /** The last request was not sent. */
  giveBack(): void {
    this.#left++;
  }

  /** Takes one request and waits for its time. Rejects with the signal's reason. */
  async next(signal: AbortSignal): Promise<void> {
    this.#left--;
    const now = this.#clock.monotonic();
    const start = Math.max(this.#nextStart, now);
    this.#nextStart = start + this.#spacingMs;
    if (start > now) await this.#clock.sleep(start - now, signal);
    signal.throwIfAborted();
  }
}

/**
 * Sensors to read, most urgent first: in `auto` the oldest gap, whose measurements leave the live window next, in `all`
 * the longest unread.
 * @param monotonic Milliseconds.
 */
export function dueSensors(
  sensors: Iterable<SensorMeasurements>,
  mode: MeasurementMode,
  monotonic: number,
): SensorMeasurements[] {
  if (mode === "off") return [];
  const due: SensorMeasurements[] = [];
  for (const sensor of sensors) {
    if ((mode === "all" || sensor.hasGap) && sensor.mayBeRead(monotonic)) due.push(sensor);
  }
  return due.sort((a, b) => compare(missingSince(a, mode), missingSince(b, mode)));
}

/** Monotonic in `all`, else by the server's clock. */
export function missingSince({ lastReadAt, covered }: SensorMeasurements, mode: MeasurementMode): number {
  return (mode === "all" ? lastReadAt : covered) ?? Number.NEGATIVE_INFINITY;
}

/** Also compares infinities. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A first start without time series sends the values of the lists after this time. */
const PATIENCE_AT_START_MS = 45_000;
/** Later, this gives up the history since the last sent measurement. A PRTG server that restarts must not cause that. */
const PATIENCE_MS = 3 * 60_000;
/** The server itself was away. */
const LISTS_APART_MS = 3 * 60_000;

/** Says since when no time series can be read, although the lists can be. Times are monotonic milliseconds. */
export class SeriesHealth {
  #failure: unknown;
  #since: number | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;

  /** A cycle could read no series. */
  fail(error: unknown): void {
    this.#failure ??= error;
  }

  /** A cycle read a series. */
  recover(): void {
    this.#failure = undefined;
    this.#since = undefined;
  }

  /** A list was read. */
  list(now: number): void {
    const wasAway = now - this.#listedAt > LISTS_APART_MS;
    this.#listedAt = now;
    if (this.#failure === undefined) return;
    if (wasAway) this.#since = now;
    this.#since ??= now;
  }

  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  /** Why the values of the lists are sent, and nothing else. */
  get failure(): unknown {
    return this.replacesSeries(true) ? this.#failure : undefined;
  }

  /**
   * Whether values of the lists are sent, with gaps between them.
   * @param wasSent Something of the sensor was sent before.
   */
  replacesSeries(wasSent: boolean): boolean {
    if (this.#since === undefined) return false;
    // This server has no time series.
    if (this.#failure instanceof ApiError && this.#failure.code === "API_ENDPOINT_MISSING") return true;
    return this.#listedAt - this.#since >= (wasSent ? PATIENCE_MS : PATIENCE_AT_START_MS);
  }
}
