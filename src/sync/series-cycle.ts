import type { ErrorCode } from "../errors/catalogue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Extras } from "../lib/extra-work.ts";
import { ApiError, mayBeOfOneObject } from "../prtg/api-error.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { TimeSeries } from "../prtg/records.ts";
import type { SeriesType } from "../prtg/series-types.ts";
import { type KnownChannels, planChannels, planReading } from "./plan.ts";
import type { SensorSync, SyncMode } from "./sensor-sync.ts";

/** Sensors read at the same time: a slow answer must not hold up the rest, and lists need their places, too. */
const CONCURRENCY = 2;

/** True of the series of the one sensor, too; every other failure is the server's and ends the cycle. */
const SERIES_FAILURES: readonly ErrorCode[] = ["API_NOT_FOUND", "API_ENDPOINT_MISSING", "API_MEMORY_FULL"];

/** So many failures without a success are no longer about single sensors. */
const ENOUGH_FAILURES = 3;
/** Few reads are spread no further apart than this: a gap should not stay open for the sake of an even load. */
const MAX_SPACING_MS = 1_000;
/** Part of the period in which reads start, so that the last ones end within it. */
const SPREAD = 0.9;
/** Of a live series, where only the newest measurement matters: enough to tell how far apart they are, and a few that are ahead of their time. */
const NEWEST_ROWS = 32;
/** For the figures of what the process has no time for. */
const SERIES = "timeseries";

/** What one cycle came to. */
export interface CycleReport {
  /** Sensors whose series were to be read. */
  readonly due: number;
  readonly read: number;
  readonly failed: number;
  readonly requests: number;
  /** Left for a later cycle, because the process was busy until the end of this one. */
  readonly deferred: number;
}

export interface SeriesCycleOptions {
  readonly api: Pick<MonitoringApi, "timeSeries">;
  readonly clock: Clock;
  readonly limits: CycleLimits;
  /** The server's clock, milliseconds since the epoch. */
  readonly serverNow: () => number;
  /** Only the newest measurement matters: history is not asked for. */
  readonly liveOnly: boolean;
  /** Says when a sensor may be read: the process may be busy, and other servers may have older gaps. */
  readonly extras: Extras;
  /** For how long the measurements that a sensor lacks have been missing, milliseconds. */
  readonly gapOf: (sensor: SensorSync) => number;
  /** The newest measurement in lists tells which series hold anything. */
  readonly relyOnLists: boolean;
  /** There is room for what is read. */
  readonly hasRoom: () => boolean;
  /** See SyncEngineOptions. */
  readonly channelsOf: (sensorId: string) => KnownChannels | undefined;
  readonly onRead: (sensor: SensorSync, series: ReadonlyMap<SeriesType, TimeSeries>, before: ReadBefore) => void;
}

/** How a sensor was when its reading began. */
export interface ReadBefore {
  readonly covered: number | undefined;
  readonly newestAt: number | undefined;
}

/** Reads the series of sensors in their order, until all are read or the budget, the period or the room is used up. */
export class SeriesCycle {
  readonly #options: SeriesCycleOptions;
  readonly #due: readonly SensorSync[];
  readonly #budget: CycleBudget;
  #next = 0;
  #read = 0;
  #failed = 0;
  #requests = 0;
  #isHeldBack = false;
  #failure: unknown;
  #sensorFailure: unknown;

  constructor(due: readonly SensorSync[], options: SeriesCycleOptions) {
    this.#options = options;
    this.#due = due;
    this.#budget = new CycleBudget(options.clock, options.limits, due.length);
  }

  /**
   * Sensors that fail are left for later. Rejects when the server fails, when no sensor at all could be read, and with
   * the signal's reason.
   */
  async run(signal: AbortSignal): Promise<CycleReport> {
    await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#work(signal)));
    signal.throwIfAborted();
    if (this.#failure === undefined && this.#nothingWorks()) this.#failure = this.#sensorFailure;
    if (this.#failure !== undefined) throw this.#failure;
    const [due, read, failed] = [this.#due.length, this.#read, this.#failed];
    // For what is beyond the budget there would have been no request, however much time there was.
    const deferred = this.#isHeldBack ? Math.min(due - read - failed, this.#budget.left) : 0;
    this.#options.extras.countDeferred(deferred);
    return { due, read, failed, requests: this.#requests, deferred };
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { hasRoom } = this.#options;
    while (this.#failure === undefined && !signal.aborted && hasRoom()) {
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

  /** False where the process has no time for it until the end of the cycle. */
  async #readInTurn(sensor: SensorSync, types: readonly SeriesType[], signal: AbortSignal): Promise<boolean> {
    const { extras, clock, gapOf } = this.#options;
    await this.#budget.next(signal);
    const read = { collector: SERIES, ageMs: gapOf(sensor), deadline: this.#budget.lastStart };
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

  #plan({ covered, newestListTime }: SensorSync): readonly SeriesType[] {
    const { serverNow, liveOnly, relyOnLists } = this.#options;
    if (liveOnly) return ["live"];
    return planReading({ covered, newest: relyOnLists ? newestListTime : undefined, now: serverNow() });
  }

  async #readSensor(sensor: SensorSync, types: readonly SeriesType[], signal: AbortSignal): Promise<void> {
    const { api, onRead, channelsOf, liveOnly } = this.#options;
    const { sensorId } = sensor;
    const newest = liveOnly ? NEWEST_ROWS : undefined;
    const channelIds = planChannels(channelsOf(sensorId));
    const before: ReadBefore = { covered: sensor.covered, newestAt: sensor.newest?.at };
    const series = new Map<SeriesType, TimeSeries>();
    for (const [index, type] of types.entries()) {
      if (index > 0) await this.#budget.next(signal);
      this.#requests++;
      series.set(type, await api.timeSeries(sensorId, type, signal, { channelIds: channelIds, newest }));
    }
    // A reload or a list may want more by now. Rows without it must not count as sent: they are read again.
    if (channelIds !== undefined && planChannels(channelsOf(sensorId))?.every((id) => channelIds.includes(id)) !== true)
      return;
    onRead(sensor, series, before);
  }

  #noteFailure(sensor: SensorSync, error: unknown): void {
    if (!(error instanceof ApiError) || !(mayBeOfOneObject(error) || SERIES_FAILURES.includes(error.code))) {
      this.#failure ??= error;
      return;
    }
    this.#failed++;
    this.#sensorFailure = error;
    sensor.readFailed(this.#options.clock.monotonic());
    if (error.code === "API_ENDPOINT_MISSING" && this.#nothingWorks()) this.#failure ??= error;
  }

  #nothingWorks(): boolean {
    return this.#read === 0 && this.#failed >= Math.min(ENOUGH_FAILURES, this.#due.length) && this.#failed > 0;
  }
}

export interface CycleLimits {
  /** Requests in one cycle. */
  readonly requests: number;
  readonly periodMs: number;
}

/** Gives out the requests of one cycle: no more than the budget, spread over the period, none after its end. */
export class CycleBudget {
  readonly #clock: Clock;
  readonly #end: number;
  /** Nothing waits for something else beyond this time: the next cycle is near. Monotonic milliseconds. */
  readonly lastStart: number;
  readonly #spacingMs: number;
  #left: number;
  #nextStart: number;

  /** @param expected Requests that are likely to be needed. */
  constructor(clock: Clock, { requests, periodMs }: CycleLimits, expected: number) {
    this.#clock = clock;
    this.#left = requests;
    this.#nextStart = clock.monotonic();
    this.#end = this.#nextStart + periodMs;
    this.lastStart = this.#nextStart + SPREAD * periodMs;
    const spread = (SPREAD * periodMs) / Math.max(1, Math.min(requests, expected));
    this.#spacingMs = Math.min(spread, MAX_SPACING_MS);
  }

  /** Whether so many requests can still be sent in this cycle. */
  allows(requests: number): boolean {
    return this.#left >= requests && Math.max(this.#nextStart, this.#clock.monotonic()) < this.#end;
  }

  /** Requests that can still be sent in this cycle, but for its end. */
  get left(): number {
    return this.#left;
  }

  /** The request that was taken last was not sent. */
  giveBack(): void {
    this.#left++;
  }

  /** Takes one request and resolves when its time has come. Rejects with the signal's reason when that aborts. */
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
 * Sensors whose series are to be read now, the most urgent first: in `auto` those with a gap, the oldest gap first,
 * since its measurements are the next to leave the live window; in `all` every sensor, the longest unread first.
 * @param monotonic Milliseconds.
 */
export function dueSensors(sensors: Iterable<SensorSync>, mode: SyncMode, monotonic: number): SensorSync[] {
  if (mode === "off") return [];
  const due: SensorSync[] = [];
  for (const sensor of sensors) {
    if ((mode === "all" || sensor.hasGap) && sensor.mayBeRead(monotonic)) due.push(sensor);
  }
  return due.sort((a, b) => compare(missingSince(a, mode), missingSince(b, mode)));
}

/** Since when measurements may be missing: monotonic in `all`, else by the server's clock; -Infinity: always. */
export function missingSince({ lastReadAt, covered }: SensorSync, mode: SyncMode): number {
  return (mode === "all" ? lastReadAt : covered) ?? Number.NEGATIVE_INFINITY;
}

/** Infinities, too: their difference is no number. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
