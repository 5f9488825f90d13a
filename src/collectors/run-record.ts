import type { Schedule } from "../config/schedule.ts";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import { RETRIES, retryDelayMs } from "../lib/retry-delay.ts";
import type { Runtime } from "../lib/runtime.ts";
import type { CollectorRecorder } from "../telemetry/recorders.ts";
import { RunTrace } from "../telemetry/run-trace.ts";
import { type CollectorName, collectorsWith, type PollResult } from "./collector.ts";
import type { ReadingFailureLog, ServerFailureLogs } from "./failure-log.ts";
import { failureFields } from "./failures.ts";

export interface RunRecordOptions extends Pick<Runtime, "clock" | "log"> {
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

/** What the last finished run showed, of the objects that are selected now. */
interface Outcome {
  readonly worked: boolean;
  /** The run read every object. */
  readonly complete: boolean;
}

/** Whether the runs have shown all selected objects. */
type Freshness =
  | { readonly kind: "settled" }
  /** The selection changed. Settled after one complete run that started when `basis` was settled. */
  | {
      readonly kind: "awaiting";
      /** A run misses objects if it starts before this record is settled. */
      readonly basis: RunRecord | undefined;
      /** The last run started with a settled basis. */
      readonly hasBasis: boolean;
      readonly incompleteRuns: number;
    };

const SETTLED: Freshness = { kind: "settled" };

/** The runs of one collector, over all its runners. */
export class RunRecord {
  readonly name: CollectorName;
  /** There was no run yet, or it was aborted. */
  mustRunAtStart = true;
  rhythm: Rhythm | undefined;
  /** Milliseconds since the epoch. */
  lastSuccessAt: number | undefined;
  /** Start of that run. */
  lastSuccessStartedAt: number | undefined;
  lastDurationMs: number | undefined;
  skippedRuns = 0;
  failedRuns = 0;
  /** `undefined` between runs. */
  currentRun: RunTrace | undefined;
  lastRun: RunTrace | undefined;
  lastFailedRun: RunTrace | undefined;
  /** Error of the last run. */
  error: string | undefined;
  readonly #options: RunRecordOptions;
  readonly #metrics: CollectorRecorder;
  readonly #failures: ReadingFailureLog;
  /** `undefined` before the first run, and after a change of the selection. */
  #outcome: Outcome | undefined;
  #freshness: Freshness = SETTLED;
  /** Set while the server lacks the endpoint: number of such answers, and the monotonic time of the next try. */
  #off: { readonly missed: number; readonly retryAt: number } | undefined;

  constructor(name: CollectorName, options: RunRecordOptions) {
    this.name = name;
    this.#options = options;
    this.#metrics = options.metrics(name);
    this.#failures = options.failures.open(`collector ${name}`);
    this.#metrics.enabled(true);
  }

  get worked(): boolean | undefined {
    return this.#outcome?.worked;
  }

  /** The last finished run read every object. */
  get complete(): boolean | undefined {
    return this.#outcome?.complete;
  }

  /** The server lacks the endpoint. */
  get isOff(): boolean {
    return this.#off !== undefined;
  }

  /** The server lacks the endpoint, and the next try is later. */
  get isPaused(): boolean {
    return this.#off !== undefined && this.#options.clock.monotonic() < this.#off.retryAt;
  }

  /** The server changed and may have the endpoint now. */
  tryAgain(): void {
    if (this.#off !== undefined) this.#off = { ...this.#off, retryAt: 0 };
  }

  /** The selection changed. */
  awaitNew(basis?: RunRecord): void {
    this.mustRunAtStart = true;
    this.#outcome = undefined;
    this.#freshness = { kind: "awaiting", basis, hasBasis: false, incompleteRuns: 0 };
    this.#metrics.complete(false);
  }

  get isUpToDate(): boolean {
    return this.worked === true && this.isSettled;
  }

  get isSettled(): boolean {
    return this.#freshness.kind === "settled";
  }

  /** The last run missed new objects: run again at once. */
  get isIncomplete(): boolean {
    return this.#freshness.kind === "awaiting" && this.#freshness.hasBasis && this.worked === true;
  }

  /** The last run started before its basis was settled. */
  get lacksBasis(): boolean {
    return this.#freshness.kind === "awaiting" && !this.#freshness.hasBasis;
  }

  /** The collector does not run any more: others do not wait for it. */
  retire(): void {
    this.#freshness = SETTLED;
  }

  start(): RunTrace {
    // Reset by `finish`, unless the run is aborted.
    this.mustRunAtStart = true;
    if (this.#freshness.kind === "awaiting") {
      this.#freshness = { ...this.#freshness, hasBasis: this.#freshness.basis?.isSettled !== false };
    }
    this.currentRun = new RunTrace(this.#options.clock);
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
    const outcome = { worked: error === undefined, complete: error === undefined && complete && !this.lacksBasis };
    this.#outcome = outcome;
    if (error === undefined) this.#succeeded();
    else this.#failed(error);
    this.#freshness = freshnessAfter(this.#freshness, outcome);
    this.#keepRun(durationMs, outcome);
    this.lastDurationMs = durationMs;
    this.#metrics.finished({
      success: outcome.worked,
      complete: outcome.complete,
      durationSeconds: durationMs / 1000,
      finishedAt: this.#options.clock.now() / 1000,
    });
  }

  #keepRun(durationMs: number, { complete }: Outcome): void {
    const run = this.currentRun;
    if (run === undefined) return;
    run.end = { durationMs, complete, error: this.error };
    this.currentRun = undefined;
    this.lastRun = run;
    if (this.error !== undefined) this.lastFailedRun = run;
  }

  #succeeded(): void {
    const { clock, log } = this.#options;
    this.error = undefined;
    this.lastSuccessAt = clock.now();
    this.lastSuccessStartedAt = this.currentRun?.startedAt;
    if (this.#off === undefined) this.#failures.recordSuccess(!PROVES_NOTHING.includes(this.name));
    else {
      this.#off = undefined;
      this.#metrics.enabled(true);
      log.info(`collector ${this.name} is on: the server has the endpoint now`);
    }
  }

  #failed(error: unknown): void {
    const { clock, log } = this.#options;
    this.failedRuns++;
    this.error = describeError(error);
    if (!(error instanceof ExporterError) || error.code !== "API_ENDPOINT_MISSING") {
      // The endpoint may be missing still: a collector that is off stays off, and polls at the next tick.
      this.#failures.recordFailure(error);
      return;
    }
    if (this.#off === undefined) {
      this.#metrics.enabled(false);
      log.warn(failureFields(error), `collector ${this.name} is off: ${this.error}`);
    }
    const missed = (this.#off?.missed ?? 0) + 1;
    this.#off = { missed, retryAt: clock.monotonic() + retryDelayMs(RETRIES.missingEndpoint, missed) };
  }
}

function freshnessAfter(before: Freshness, { worked, complete }: Outcome): Freshness {
  if (before.kind === "settled" || !worked || !before.hasBasis) return before;
  const incompleteRuns = before.incompleteRuns + 1;
  return complete || incompleteRuns >= MAX_INCOMPLETE_RUNS ? SETTLED : { ...before, incompleteRuns };
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
