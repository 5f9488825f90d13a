import type { Logger } from "pino";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { ApiError } from "../prtg/api-error.ts";
import type { CollectorRecorder } from "../telemetry/recorders.ts";
import type { Collector } from "./collector.ts";
import { FailureLog, failureFields } from "./failure-log.ts";
import type { Timetable } from "./timetable.ts";

/**
 * A collector whose endpoint the server lacks is tried again after a minute, then ever more rarely, at last each hour:
 * a service that is just starting may answer 404 to anything.
 */
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 60 * 60_000;
/** Ticks are spread by up to this part of the period, so that collectors and exporters do not march in step. */
const JITTER = 0.05;
const MAXIMUM_JITTER_MS = 5_000;

export interface SchedulerOptions {
  readonly collector: Collector;
  readonly timetable: Timetable;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: CollectorRecorder;
  /** Called after each finished run. */
  readonly onFinished: () => void;
}

/** What a status page shows of a collector; times are milliseconds since the epoch. */
export interface CollectorStatus {
  readonly name: string;
  /** `off`: the server lacks the endpoint. */
  readonly state: "waiting" | "running" | "off";
  readonly lastSuccessAt: number | undefined;
  readonly lastDurationMs: number | undefined;
  readonly nextRunAt: number | undefined;
  readonly skippedRuns: number;
  readonly failedRuns: number;
  /** Whether the last finished run saw every object; undefined before the first. */
  readonly complete: boolean | undefined;
  /** Why the last run failed; undefined when it worked. */
  readonly error: string | undefined;
}

/** Runs one collector: at once, then at each tick of its timetable, never twice at the same time. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #timetable: Timetable;
  readonly #failures: FailureLog;
  readonly #stopping = new AbortController();
  /** Aborted to break off the run under way. */
  #breakingOff: AbortController | undefined;
  #paused = false;
  #started = false;
  #running: Promise<boolean> | undefined;
  #again = false;
  /** Aborted when the run that makes up for one that was held back is no longer wanted. */
  #early: AbortController | undefined;
  /** Monotonic; undefined while the collector is on. */
  #offUntil: number | undefined;
  #retryMs = FIRST_RETRY_MS;
  #worked: boolean | undefined;
  #lastSuccessAt: number | undefined;
  #lastDurationMs: number | undefined;
  #skipped = 0;
  #failedRuns = 0;
  #complete: boolean | undefined;
  #error: string | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#timetable = options.timetable;
    this.#failures = new FailureLog(`collector ${options.collector.name}`, options.log, options.clock);
    options.metrics.enabled(true);
  }

  /** Whether the last finished run worked; undefined before the first. */
  get worked(): boolean | undefined {
    return this.#worked;
  }

  /** Starts the first run and the timetable. Resolves when the first run has finished, either way. */
  async start(): Promise<void> {
    if (this.#started || this.#stopping.signal.aborted) return;
    this.#started = true;
    this.#paused = false;
    this.#timetable.start(() => void this.#tick());
    await (this.#running ?? this.#launch());
  }

  /** Breaks off the run under way, if there is one, and starts none until `resume`. Resolves with whether there was one. */
  async pause(): Promise<boolean> {
    this.#paused = true;
    this.#again = false;
    const running = this.#running;
    this.#breakingOff?.abort();
    await running;
    return running !== undefined;
  }

  /** Goes on after `pause`; `run`: with a run at once, and resolves when it has finished, either way. */
  async resume(run: boolean): Promise<void> {
    this.#paused = false;
    if (!run) return;
    if (!this.#started) await this.start();
    else if (!this.#stopping.signal.aborted) await (this.#running ?? this.#launch());
  }

  /** Goes by another timetable from now on. The run under way goes on. */
  reschedule(timetable: Timetable): void {
    this.#timetable.stop();
    this.#timetable = timetable;
    if (this.#started && !this.#stopping.signal.aborted) timetable.start(() => void this.#tick());
  }

  /** One run outside the timetable. Resolves with whether it worked. */
  runOnce(signal: AbortSignal): Promise<boolean> {
    return this.#running ?? this.#launch(signal);
  }

  /** A run out of turn: at once, or after the one under way, which may have looked too early. */
  runSoon(): void {
    const { clock } = this.#options;
    if (!this.#started || this.#paused || this.#stopping.signal.aborted) return;
    if (this.#offUntil !== undefined && clock.monotonic() < this.#offUntil) return;
    if (this.#running === undefined) void this.#launch();
    else this.#again = true;
  }

  /** The server changed: what it lacked it may have now. */
  tryAgain(): void {
    if (this.#offUntil !== undefined) this.#offUntil = 0;
  }

  /** The server works again: a collector that failed must not wait for its next tick, which may be long. */
  recoverSoon(): void {
    if (this.#worked !== false) return;
    this.tryAgain();
    this.runSoon();
  }

  /** Aborts the run under way and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#early?.abort();
    this.#breakingOff?.abort();
    this.#timetable.stop();
    await this.#running;
  }

  status(): CollectorStatus {
    const { collector, clock } = this.#options;
    const ticking = this.#started && !this.#stopping.signal.aborted;
    return {
      name: collector.name,
      state: this.#running !== undefined ? "running" : this.#offUntil !== undefined ? "off" : "waiting",
      lastSuccessAt: this.#lastSuccessAt,
      lastDurationMs: this.#lastDurationMs,
      nextRunAt: ticking ? clock.now() + this.#timetable.untilNext() : undefined,
      skippedRuns: this.#skipped,
      failedRuns: this.#failedRuns,
      complete: this.#complete,
      error: this.#error,
    };
  }

  async #tick(): Promise<void> {
    const { clock, random, metrics } = this.#options;
    const { signal } = this.#stopping;
    if (this.#offUntil !== undefined && clock.monotonic() < this.#offUntil) return;
    const jitter = random() * Math.min(JITTER * this.#timetable.period(), MAXIMUM_JITTER_MS);
    await clock.sleep(jitter, signal).catch(() => undefined);
    if (signal.aborted || this.#paused) return;
    if (this.#running === undefined) await this.#launch();
    else {
      this.#skipped++;
      metrics.skipped();
    }
  }

  #launch(given?: AbortSignal): Promise<boolean> {
    const breakingOff = new AbortController();
    this.#breakingOff = breakingOff;
    this.#early?.abort();
    if (this.#stopping.signal.aborted) breakingOff.abort();
    const signal = given === undefined ? breakingOff.signal : AbortSignal.any([given, breakingOff.signal]);
    const running = this.#run(signal).finally(() => {
      this.#running = undefined;
      if (this.#again) {
        this.#again = false;
        this.runSoon();
      }
    });
    this.#running = running;
    return running;
  }

  async #run(signal: AbortSignal): Promise<boolean> {
    const { collector, clock, metrics, onFinished } = this.#options;
    const startedAt = clock.monotonic();
    let complete = false;
    try {
      signal.throwIfAborted();
      ({ complete } = await collector.run(signal));
      this.#succeeded();
    } catch (error) {
      // Nobody waits for the outcome of a run that we broke off.
      if (signal.aborted) return false;
      this.#failed(error);
    }
    this.#complete = complete;
    this.#lastDurationMs = clock.monotonic() - startedAt;
    metrics.finished({
      success: this.#worked === true,
      complete,
      durationSeconds: this.#lastDurationMs / 1000,
      finishedAt: clock.now() / 1000,
    });
    onFinished();
    return this.#worked === true;
  }

  /** Requests were held back: a tick that came too early for them is made up for, unless the next one comes before. */
  #runAfter(ms: number): void {
    const { clock } = this.#options;
    this.#early?.abort();
    if (!this.#started || ms >= this.#timetable.untilNext()) return;
    const early = new AbortController();
    this.#early = early;
    // A timer may fire a fraction early.
    clock.sleep(Math.ceil(ms) + 1, early.signal).then(
      () => this.runSoon(),
      () => undefined,
    );
  }

  #succeeded(): void {
    const { clock, collector, log, metrics } = this.#options;
    this.#worked = true;
    this.#error = undefined;
    this.#lastSuccessAt = clock.now();
    if (this.#offUntil === undefined) this.#failures.worked();
    else {
      this.#offUntil = undefined;
      this.#retryMs = FIRST_RETRY_MS;
      metrics.enabled(true);
      log.info(`collector ${collector.name} is on: the server has the endpoint now`);
    }
  }

  #failed(error: unknown): void {
    const { clock, collector, log, metrics } = this.#options;
    this.#worked = false;
    this.#failedRuns++;
    this.#error = describeError(error);
    const missing = error instanceof ExporterError && error.code === "API_ENDPOINT_MISSING";
    if (error instanceof ApiError && error.retryAfterMs !== undefined) this.#runAfter(error.retryAfterMs);
    if (!missing) {
      // Says nothing about the endpoint: a collector that is off stays off, and the next tick asks again.
      this.#failures.failed(error);
      return;
    }
    if (this.#offUntil === undefined) {
      metrics.enabled(false);
      log.warn(failureFields(error), `collector ${collector.name} is off: ${describeError(error)}`);
    }
    this.#offUntil = clock.monotonic() + this.#retryMs;
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
  }
}
