import type { Logger } from "pino";
import type { Schedule } from "../config/schedule.ts";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import type { CollectorRecorder } from "../telemetry/recorders.ts";
import type { CollectorName, PollResult } from "./collector.ts";
import { FailureLog, failureFields } from "./failures.ts";

/**
 * A collector whose endpoint the server lacks is tried again after a minute, then ever more rarely, at last each hour:
 * a service that is just starting may answer 404 to anything.
 */
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 60 * 60_000;

export interface RunRecordOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: (name: CollectorName) => CollectorRecorder;
}

/** A list that is never complete, such as one with unreadable records, does not keep a server down for more runs than these. */
const MAX_INCOMPLETE_RUNS = 3;

/** Where a runner was in its timetable when it stopped. */
export interface Rhythm {
  readonly schedule: Schedule;
  /** See Timetable. */
  readonly handledUntil: number;
  /** Monotonic; undefined where no run was put off. */
  readonly retryAt: number | undefined;
}

/** What is known of the runs of one collector: it lasts when a reload puts another runner in the place of this one. */
export class RunRecord {
  readonly name: CollectorName;
  /** The next runner begins with a run: there was none yet, or it was broken off. */
  mustRunAtStart = true;
  /** Runs that worked without seeing every object since other objects were asked for; undefined once that is settled. */
  #incompleteRuns: number | undefined;
  /** The record that has to be settled when a run begins, or the run may have missed objects. */
  #basis: RunRecord | undefined;
  #hasBasis = true;
  #isGone = false;
  /** Undefined before a runner stopped. */
  rhythm: Rhythm | undefined;
  /** Whether the last finished run worked; undefined before the first. */
  worked: boolean | undefined;
  /** Milliseconds since the epoch. */
  lastSuccessAt: number | undefined;
  lastDurationMs: number | undefined;
  skippedRuns = 0;
  failedRuns = 0;
  /** Whether the last finished run saw every object; undefined before the first. */
  complete: boolean | undefined;
  /** Why the last run failed; undefined when it worked. */
  error: string | undefined;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: CollectorRecorder;
  readonly #failures: FailureLog;
  /** Monotonic; undefined while the collector is on. */
  #offUntil: number | undefined;
  #retryMs = FIRST_RETRY_MS;

  constructor(name: CollectorName, { clock, log, metrics }: RunRecordOptions) {
    this.name = name;
    this.#clock = clock;
    this.#log = log;
    this.#metrics = metrics(name);
    this.#failures = new FailureLog(`collector ${name}`, log, clock);
    this.#metrics.enabled(true);
  }

  /** The server lacks the endpoint. */
  get isOff(): boolean {
    return this.#offUntil !== undefined;
  }

  /** The server lacks the endpoint, and it is not time yet to ask again. */
  get isResting(): boolean {
    return this.#offUntil !== undefined && this.#clock.monotonic() < this.#offUntil;
  }

  /** The server changed: what it lacked it may have now. */
  tryAgain(): void {
    if (this.#offUntil !== undefined) this.#offUntil = 0;
  }

  /**
   * The collector is to read other objects than before: earlier runs say nothing of these. One complete run that began when
   * `basis` was settled does.
   */
  awaitNew(basis?: RunRecord): void {
    this.mustRunAtStart = true;
    this.worked = undefined;
    this.complete = undefined;
    this.#incompleteRuns = 0;
    this.#basis = basis;
    this.#hasBasis = false;
    this.#metrics.complete(false);
  }

  /** The last run worked, and what is to be read now has been read. */
  get isUpToDate(): boolean {
    return this.worked === true && this.isSettled;
  }

  /** No objects are awaited, or the collector runs no more. */
  get isSettled(): boolean {
    return this.#isGone || this.#incompleteRuns === undefined;
  }

  /** The last run missed some of the awaited objects: another one is to follow at once. */
  get missedSome(): boolean {
    return this.#incompleteRuns !== undefined && this.worked === true && this.#hasBasis;
  }

  /** The collector runs no more: others must not wait for it. */
  gone(): void {
    this.#isGone = true;
  }

  /** A run was of no use, as it began before its basis was settled. */
  get lacksBasis(): boolean {
    return this.#incompleteRuns !== undefined && !this.#hasBasis;
  }

  begins(): void {
    // A run that is broken off is made up for by the next runner.
    this.mustRunAtStart = true;
    this.#hasBasis = this.#basis?.isSettled !== false;
  }

  skipped(): void {
    this.skippedRuns++;
    this.#metrics.skipped();
  }

  /** A run ended without an abort. */
  finished({ complete, error }: PollResult, durationMs: number): void {
    this.mustRunAtStart = false;
    if (error === undefined) this.#succeeded();
    else this.#failed(error);
    this.complete = error === undefined && complete && this.#hasBasis;
    this.#settle();
    this.lastDurationMs = durationMs;
    this.#metrics.finished({
      success: this.worked === true,
      complete: this.complete,
      durationSeconds: durationMs / 1000,
      finishedAt: this.#clock.now() / 1000,
    });
  }

  #settle(): void {
    if (this.#incompleteRuns === undefined || this.worked !== true || !this.#hasBasis) return;
    if (this.complete !== true && ++this.#incompleteRuns < MAX_INCOMPLETE_RUNS) return;
    this.#incompleteRuns = undefined;
    this.#basis = undefined;
  }

  #succeeded(): void {
    this.worked = true;
    this.error = undefined;
    this.lastSuccessAt = this.#clock.now();
    if (this.#offUntil === undefined) this.#failures.worked();
    else {
      this.#offUntil = undefined;
      this.#retryMs = FIRST_RETRY_MS;
      this.#metrics.enabled(true);
      this.#log.info(`collector ${this.name} is on: the server has the endpoint now`);
    }
  }

  #failed(error: unknown): void {
    this.worked = false;
    this.failedRuns++;
    this.error = describeError(error);
    if (!(error instanceof ExporterError) || error.code !== "API_ENDPOINT_MISSING") {
      // Says nothing about the endpoint: a collector that is off stays off, and the next tick asks again.
      this.#failures.failed(error);
      return;
    }
    if (this.#offUntil === undefined) {
      this.#metrics.enabled(false);
      this.#log.warn(failureFields(error), `collector ${this.name} is off: ${this.error}`);
    }
    this.#offUntil = this.#clock.monotonic() + this.#retryMs;
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
  }
}

/** Those of one server's collectors, by name. */
export class RunRecords {
  readonly #options: RunRecordOptions;
  readonly #records = new Map<CollectorName, RunRecord>();

  constructor(options: RunRecordOptions) {
    this.#options = options;
  }

  /** Begins a record where there is none. */
  open(name: CollectorName): RunRecord {
    const record = this.#records.get(name) ?? new RunRecord(name, this.#options);
    this.#records.set(name, record);
    return record;
  }

  /** Another connection: everything is to run again, also what the server lacked. */
  requireAllRuns(): void {
    for (const record of this.#records.values()) {
      record.mustRunAtStart = true;
      record.tryAgain();
    }
  }

  /** See `RunRecord.awaitNew`. */
  awaitNew(name: CollectorName, basis?: CollectorName): void {
    this.#records.get(name)?.awaitNew(basis && this.#records.get(basis));
  }

  requireRun(name: CollectorName): void {
    const record = this.#records.get(name);
    if (record !== undefined) record.mustRunAtStart = true;
  }

  /** Forgets all but these, and returns the names of the others. */
  retain(kept: (name: CollectorName) => boolean): readonly CollectorName[] {
    const gone = [...this.#records.keys()].filter((name) => !kept(name));
    for (const name of gone) {
      this.#records.get(name)?.gone();
      this.#records.delete(name);
    }
    return gone;
  }
}
