import type { Logger } from "pino";
import type { Schedule } from "../config/schedule.ts";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { RETRIES, retryDelayMs } from "../lib/retry-delay.ts";
import type { CollectorRecorder } from "../telemetry/recorders.ts";
import { RunTrace } from "../telemetry/run-trace.ts";
import { type CollectorName, collectorsWith, type PollResult } from "./collector.ts";
import type { ReadingFailureLog, ServerFailureLogs } from "./failure-log.ts";
import { failureFields } from "./failures.ts";

export interface RunRecordOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly failures: ServerFailureLogs;
  readonly metrics: (name: CollectorName) => CollectorRecorder;
}

/** A list with unreadable records is never complete: the server is up after so many runs. */
const MAX_INCOMPLETE_RUNS = 3;
const PROVES_NOTHING = collectorsWith("provesNothing");

/** The timetable of a runner that has stopped. */
export interface Rhythm {
  readonly schedule: Schedule;
  /** See Timetable. */
  readonly lastTickAt: number;
  /** Monotonic; `undefined` if no run waits. */
  readonly retryAt: number | undefined;
}

/** The runs of one collector, over all its runners. */
export class RunRecord {
  readonly name: CollectorName;
  /** There was no run yet, or it was aborted. */
  mustRunAtStart = true;
  /** Incomplete runs since the selection changed; `undefined` once a run was complete. */
  #incompleteRuns: number | undefined;
  /** A run misses objects if it starts before this record is settled. */
  #basis: RunRecord | undefined;
  #hasBasis = true;
  #isRetired = false;
  rhythm: Rhythm | undefined;
  /** Outcome of the last finished run; `undefined` before the first. */
  worked: boolean | undefined;
  /** Milliseconds since the epoch. */
  lastSuccessAt: number | undefined;
  lastDurationMs: number | undefined;
  skippedRuns = 0;
  failedRuns = 0;
  /** The last finished run read every object. */
  complete: boolean | undefined;
  /** `undefined` between runs. */
  currentRun: RunTrace | undefined;
  lastRun: RunTrace | undefined;
  lastFailedRun: RunTrace | undefined;
  /** Of the last run. */
  error: string | undefined;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: CollectorRecorder;
  readonly #failures: ReadingFailureLog;
  /** Monotonic; `undefined` while the collector is on. */
  #offExpiresAt: number | undefined;
  /** Number of answers without the endpoint while the collector is off. */
  #missed = 0;

  constructor(name: CollectorName, { clock, log, failures, metrics }: RunRecordOptions) {
    this.name = name;
    this.#clock = clock;
    this.#log = log;
    this.#metrics = metrics(name);
    this.#failures = failures.open(`collector ${name}`);
    this.#metrics.enabled(true);
  }

  /** The server lacks the endpoint. */
  get isOff(): boolean {
    return this.#offExpiresAt !== undefined;
  }

  /** The server lacks the endpoint, and the next try is later. */
  get isPaused(): boolean {
    return this.#offExpiresAt !== undefined && this.#clock.monotonic() < this.#offExpiresAt;
  }

  /** The server changed and may have the endpoint now. */
  tryAgain(): void {
    if (this.#offExpiresAt !== undefined) this.#offExpiresAt = 0;
  }

  /** The selection changed. Settled after one complete run that started when `basis` was settled. */
  awaitNew(basis?: RunRecord): void {
    this.mustRunAtStart = true;
    this.worked = undefined;
    this.complete = undefined;
    this.#incompleteRuns = 0;
    this.#basis = basis;
    this.#hasBasis = false;
    this.#metrics.complete(false);
  }

  get isUpToDate(): boolean {
    return this.worked === true && this.isSettled;
  }

  get isSettled(): boolean {
    return this.#isRetired || this.#incompleteRuns === undefined;
  }

  /** The last run missed new objects: run again at once. */
  get isIncomplete(): boolean {
    return this.#incompleteRuns !== undefined && this.worked === true && this.#hasBasis;
  }

  /** The collector does not run any more: others do not wait for it. */
  retire(): void {
    this.#isRetired = true;
  }

  /** The last run started before its basis was settled. */
  get lacksBasis(): boolean {
    return this.#incompleteRuns !== undefined && !this.#hasBasis;
  }

  start(): RunTrace {
    // Reset by `finish`, unless the run is aborted.
    this.mustRunAtStart = true;
    this.#hasBasis = this.#basis?.isSettled !== false;
    this.currentRun = new RunTrace(this.#clock);
    return this.currentRun;
  }

  abort(): void {
    this.currentRun = undefined;
  }

  skip(): void {
    this.skippedRuns++;
    this.#metrics.skipped();
  }

  /** Not for aborted runs. */
  finish({ complete, error }: PollResult, durationMs: number): void {
    this.mustRunAtStart = false;
    if (error === undefined) this.#succeeded();
    else this.#failed(error);
    this.complete = error === undefined && complete && this.#hasBasis;
    this.#settle();
    this.#keepRun(durationMs);
    this.lastDurationMs = durationMs;
    this.#metrics.finished({
      success: this.worked === true,
      complete: this.complete,
      durationSeconds: durationMs / 1000,
      finishedAt: this.#clock.now() / 1000,
    });
  }

  #keepRun(durationMs: number): void {
    const run = this.currentRun;
    if (run === undefined) return;
    run.end = { durationMs, complete: this.complete === true, error: this.error };
    this.currentRun = undefined;
    this.lastRun = run;
    if (this.error !== undefined) this.lastFailedRun = run;
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
    if (this.#offExpiresAt === undefined) this.#failures.recordSuccess(!PROVES_NOTHING.includes(this.name));
    else {
      this.#offExpiresAt = undefined;
      this.#missed = 0;
      this.#metrics.enabled(true);
      this.#log.info(`collector ${this.name} is on: the server has the endpoint now`);
    }
  }

  #failed(error: unknown): void {
    this.worked = false;
    this.failedRuns++;
    this.error = describeError(error);
    if (!(error instanceof ExporterError) || error.code !== "API_ENDPOINT_MISSING") {
      // The endpoint may be missing still: a collector that is off stays off, and polls at the next tick.
      this.#failures.recordFailure(error);
      return;
    }
    if (this.#offExpiresAt === undefined) {
      this.#metrics.enabled(false);
      this.#log.warn(failureFields(error), `collector ${this.name} is off: ${this.error}`);
    }
    this.#offExpiresAt = this.#clock.monotonic() + retryDelayMs(RETRIES.missingEndpoint, ++this.#missed);
  }
}

/** Records of one server's collectors. */
export class RunRecords {
  readonly #options: RunRecordOptions;
  readonly #records = new Map<CollectorName, RunRecord>();

  constructor(options: RunRecordOptions) {
    this.#options = options;
  }

  open(name: CollectorName): RunRecord {
    const record = this.#records.get(name) ?? new RunRecord(name, this.#options);
    this.#records.set(name, record);
    return record;
  }

  /** With another connection everything runs again, and may have endpoints that were missing. */
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

  /** Drops the others, and returns their names. */
  retain(kept: (name: CollectorName) => boolean): readonly CollectorName[] {
    const gone = [...this.#records.keys()].filter((name) => !kept(name));
    for (const name of gone) {
      this.#records.get(name)?.retire();
      this.#records.delete(name);
    }
    return gone;
  }
}
