import { isDeepStrictEqual } from "node:util";
import type { Runtime } from "../lib/runtime.ts";
import { ApiError } from "../prtg/api-error.ts";
import { traced } from "../telemetry/run-trace.ts";
import type { Poll, PollResult } from "./collector.ts";
import type { RunRecord } from "./run-record.ts";
import { STEP_MS, type Timetable } from "./timetable.ts";

/** Part of the period: a random wait after the tick, so that collectors and exporters do not poll in step. */
const JITTER = 0.05;
const MAX_JITTER_MS = 5_000;
/** Part of the period: a run that started more recently replaces the one that is due. */
const MIN_OVERDUE = 0.9;

export interface CollectorRunnerOptions extends Pick<Runtime, "clock"> {
  readonly poll: Poll;
  readonly timetable: Timetable;
  /** From 0 to below 1, called at each tick. */
  readonly jitter: () => number;
  /** Runs of this runner and earlier ones. */
  readonly record: RunRecord;
  /** Called after each finished run. */
  readonly onResult: (result: PollResult) => void;
}

/** For the status page; times are milliseconds since the epoch. */
export interface CollectorStatus
  extends Pick<
    RunRecord,
    "name" | "lastSuccessAt" | "lastDurationMs" | "skippedRuns" | "failedRuns" | "complete" | "error"
  > {
  /** `off`: the server lacks the endpoint. */
  readonly state: "waiting" | "running" | "off";
  readonly nextRunAt: number | undefined;
}

/**
 * Polls at each tick of its timetable, never twice at the same time. It starts with a run, unless the record comes from a
 * runner without an aborted run. With the same schedule it keeps that runner's rhythm.
 */
export class CollectorRunner {
  readonly #options: CollectorRunnerOptions;
  readonly #stopping = new AbortController();
  #isTicking = false;
  #isStarted = false;
  #running: Promise<boolean> | undefined;
  #mustRunAgain = false;
  /** Monotonic: start of the current or the last run. */
  #launchedAt = 0;
  /** Ends the random wait after a tick. */
  #cancelTick: (() => void) | undefined;
  /** A run after a suspended one. */
  #retry: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(options: CollectorRunnerOptions) {
    this.#options = options;
  }

  get record(): RunRecord {
    return this.#options.record;
  }

  /**
   * Continues the timetable of the runner before, if there was one, while this collector waits for its first run. Ticks
   * before that run do nothing.
   */
  resumeTimetable(): void {
    if (this.record.rhythm !== undefined && !this.#stopping.signal.aborted) this.#startTimetable();
  }

  /** Starts the timetable, and a run if the record requires one. Resolves when that has finished. */
  async start(): Promise<void> {
    const { record, clock } = this.#options;
    if (this.#stopping.signal.aborted) return;
    if (this.#isStarted) {
      await this.#running;
      return;
    }
    this.#isStarted = true;
    const { rhythm } = record;
    const isLate = this.#startTimetable();
    if (rhythm?.retryAt !== undefined) this.#runAfter(Math.max(0, rhythm.retryAt - clock.monotonic()));
    if (isLate || record.mustRunAtStart) await (this.#running ?? this.#launch());
  }

  /** Resolves with whether the run worked. */
  runOnce(signal: AbortSignal): Promise<boolean> {
    return this.#running ?? this.#launch(signal);
  }

  /** A run at once, or after the current one, which may have read too early. */
  runSoon(): void {
    if (!this.#isStarted || this.record.isPaused) return;
    if (this.#running !== undefined) this.#mustRunAgain = true;
    // For the next runner.
    else if (this.#stopping.signal.aborted) this.record.mustRunAtStart = true;
    else void this.#launch();
  }

  /** If the last run failed: the server works again, and the next tick may be far. */
  recoverSoon(): void {
    if (this.record.worked !== false) return;
    this.record.tryAgain();
    this.runSoon();
  }

  /** Aborts the current run, and writes everything that the next runner needs to the record. */
  async stop(): Promise<void> {
    const { record, timetable } = this.#options;
    const { schedule, lastTickAt } = timetable;
    this.#stopping.abort();
    if (this.#isTicking) record.rhythm = { schedule, lastTickAt, retryAt: this.#retry?.at };
    this.#retry?.cancel();
    this.#cancelTick?.();
    timetable.stop();
    await this.#running;
  }

  status(): CollectorStatus {
    const { clock } = this.#options;
    const { name, lastSuccessAt, lastDurationMs, skippedRuns, failedRuns, complete, error, isOff } = this.record;
    const isTicking = this.#isTicking && !this.#stopping.signal.aborted;
    return {
      name,
      state: this.#running !== undefined ? "running" : isOff ? "off" : "waiting",
      lastSuccessAt,
      lastDurationMs,
      nextRunAt: isTicking ? clock.now() + this.#options.timetable.msToNext() : undefined,
      skippedRuns,
      failedRuns,
      complete,
      error,
    };
  }

  /** Returns whether a tick passed since the runner before stopped. */
  #startTimetable(): boolean {
    if (this.#isTicking) return false;
    this.#isTicking = true;
    return this.#options.timetable.start(() => this.#tick(), this.#lastTickAt());
  }

  #lastTickAt(): number | undefined {
    const { record, timetable } = this.#options;
    if (record.rhythm === undefined) return undefined;
    const { lastTickAt } = isDeepStrictEqual(record.rhythm.schedule, timetable.schedule) ? record.rhythm : timetable;
    return lastTickAt;
  }

  #tick(): void {
    const { clock, jitter, record } = this.#options;
    if (record.isPaused || !this.#isStarted) return;
    // If it is stopped meanwhile, the next runner runs.
    if (this.#running === undefined) record.mustRunAtStart = true;
    const maxJitterMs = Math.min(JITTER * this.#options.timetable.period(), MAX_JITTER_MS);
    const stepMs = Math.min(STEP_MS, maxJitterMs);
    const waitMs = Math.round((jitter() * maxJitterMs) / stepMs) * stepMs;
    this.#cancelTick = clock.after(waitMs, () => this.#launchOrSkip());
  }

  #launchOrSkip(): void {
    const { clock, record, timetable } = this.#options;
    if (this.#running === undefined) void this.#launch();
    else if (clock.monotonic() - this.#launchedAt > MIN_OVERDUE * timetable.period()) record.skip();
  }

  #launch(given?: AbortSignal): Promise<boolean> {
    this.#dropRetry();
    this.#launchedAt = this.#options.clock.monotonic();
    const stopping = this.#stopping.signal;
    const signal = given === undefined ? stopping : AbortSignal.any([given, stopping]);
    const running = this.#run(signal).finally(() => {
      this.#running = undefined;
      if (this.#mustRunAgain) {
        this.#mustRunAgain = false;
        this.runSoon();
      }
    });
    this.#running = running;
    return running;
  }

  async #run(signal: AbortSignal): Promise<boolean> {
    const { record, onResult } = this.#options;
    const result = await traced(record.start(), () => this.#poll(signal));
    if (result === undefined) record.abort();
    else onResult(result);
    return result !== undefined && record.worked === true;
  }

  /** `undefined` if the run was aborted. */
  async #poll(signal: AbortSignal): Promise<PollResult | undefined> {
    const { poll, clock, record } = this.#options;
    const startedAt = clock.monotonic();
    let result: PollResult;
    try {
      signal.throwIfAborted();
      result = await poll(signal);
    } catch (error) {
      // An aborted run has no result.
      if (signal.aborted) return undefined;
      result = { complete: false, error };
    }
    const { error } = result;
    if (error instanceof ApiError && error.retryAfterMs !== undefined) this.#runAfter(error.retryAfterMs);
    record.finish(result, clock.monotonic() - startedAt);
    return result;
  }

  /** Requests were suspended: polls again before the next tick. */
  #runAfter(ms: number): void {
    const { clock } = this.#options;
    this.#dropRetry();
    if (!this.#isStarted || ms >= this.#options.timetable.msToNext()) return;
    // A timer may fire a fraction early.
    const cancel = clock.after(Math.ceil(ms) + 1, () => this.runSoon());
    this.#retry = { at: clock.monotonic() + ms, cancel };
  }

  #dropRetry(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
  }
}
