import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import type { Schedule } from "../config/schedule.ts";
import type { Clock } from "../lib/clock.ts";
import { ApiError } from "../prtg/api-error.ts";
import type { Collector, Timetable } from "./collector.ts";
import type { RunRecord } from "./run-record.ts";
import { createTimetable, STEP_MS } from "./timetable.ts";

/** A run waits up to this part of its period after the tick. Collectors and exporters then do not poll in step. */
const JITTER = 0.05;
const MAX_JITTER_MS = 5_000;
/** A run that began less than this part of a period ago, out of turn or as the first one, stands for the one that is due. */
const MIN_OVERDUE = 0.9;

export interface CollectorRunnerOptions {
  readonly collector: Collector;
  readonly schedule: Schedule;
  /** Of this runner and those before it. */
  readonly record: RunRecord;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** See `createTimetable`. */
  readonly phase?: number | undefined;
  readonly log: Logger;
  /** Called after each finished run. */
  readonly onFinished: () => void;
}

/** What a status page shows of a collector; times are milliseconds since the epoch. */
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
 * Runs one collector at each tick of its timetable, never twice at the same time. It begins with a run, unless it goes on
 * with the record of a runner that had none under way, and then with the rhythm of that where the schedule is the same.
 */
export class CollectorRunner {
  readonly #options: CollectorRunnerOptions;
  readonly #timetable: Timetable;
  readonly #stopping = new AbortController();
  #ticking = false;
  #started = false;
  #running: Promise<boolean> | undefined;
  #again = false;
  /** Monotonic: the run under way, or the last one. */
  #launchedAt = 0;
  /** The run that makes up for one that was held back, while it waits. */
  #retry: { readonly at: number; readonly dropped: AbortController } | undefined;

  constructor(options: CollectorRunnerOptions) {
    this.#options = options;
    this.#timetable = createTimetable(options.schedule, options.clock, options.log, options.phase);
  }

  get record(): RunRecord {
    return this.#options.record;
  }

  /**
   * Goes on with the timetable of the runner before, where there was one: the next run has its time already while this
   * collector waits for its turn among the first runs. Ticks before that do nothing: its turn begins with a run anyway.
   */
  resumeTimetable(): void {
    if (this.record.rhythm !== undefined && !this.#stopping.signal.aborted) this.#startTimetable();
  }

  /** Starts the timetable, and a run where the record requires one. Resolves when that has finished, either way. */
  async start(): Promise<void> {
    const { record, clock } = this.#options;
    if (this.#stopping.signal.aborted) return;
    if (this.#started) {
      await this.#running;
      return;
    }
    this.#started = true;
    const { rhythm } = record;
    const isLate = this.#startTimetable();
    if (rhythm?.retryAt !== undefined) this.#runAfter(Math.max(0, rhythm.retryAt - clock.monotonic()));
    if (isLate || record.mustRunAtStart) await (this.#running ?? this.#launch());
  }

  /** One run outside the timetable. Resolves with whether it worked. */
  runOnce(signal: AbortSignal): Promise<boolean> {
    return this.#running ?? this.#launch(signal);
  }

  /** A run out of turn: at once, or after the one under way, which may have looked too early. */
  runSoon(): void {
    if (!this.#started || this.record.isResting) return;
    if (this.#running !== undefined) this.#again = true;
    // The next runner makes up for it.
    else if (this.#stopping.signal.aborted) this.record.mustRunAtStart = true;
    else void this.#launch();
  }

  /** The server works again: a collector that failed must not wait for its next tick, which may be long. */
  recoverSoon(): void {
    if (this.record.worked !== false) return;
    this.record.tryAgain();
    this.runSoon();
  }

  /** Aborts the run under way and resolves when it has ended. The record says what a next runner needs to go on. */
  async stop(): Promise<void> {
    const { record, schedule } = this.#options;
    this.#stopping.abort();
    if (this.#ticking)
      record.rhythm = { schedule, handledUntil: this.#timetable.handledUntil, retryAt: this.#retry?.at };
    this.#retry?.dropped.abort();
    this.#timetable.stop();
    await this.#running;
  }

  status(): CollectorStatus {
    const { clock } = this.#options;
    const { name, lastSuccessAt, lastDurationMs, skippedRuns, failedRuns, complete, error, isOff } = this.record;
    const ticking = this.#ticking && !this.#stopping.signal.aborted;
    return {
      name,
      state: this.#running !== undefined ? "running" : isOff ? "off" : "waiting",
      lastSuccessAt,
      lastDurationMs,
      nextRunAt: ticking ? clock.now() + this.#timetable.untilNext() : undefined,
      skippedRuns,
      failedRuns,
      complete,
      error,
    };
  }

  untilThird(): number {
    return this.#timetable.untilThird();
  }

  /** Returns whether a tick passed since the runner before stopped. */
  #startTimetable(): boolean {
    if (this.#ticking) return false;
    this.#ticking = true;
    return this.#timetable.start(() => void this.#tick(), this.#handledUntil());
  }

  /** From when on the timetable counts: a collector that ran before does not wait for its turn among the first runs. */
  #handledUntil(): number | undefined {
    const { record, schedule } = this.#options;
    if (record.rhythm === undefined) return undefined;
    return isDeepStrictEqual(record.rhythm.schedule, schedule)
      ? record.rhythm.handledUntil
      : this.#timetable.handledUntil;
  }

  async #tick(): Promise<void> {
    const { clock, random, record } = this.#options;
    const { signal } = this.#stopping;
    if (record.isResting || !this.#started) return;
    // Where it is stopped meanwhile, the next runner makes up for the run.
    if (this.#running === undefined) record.mustRunAtStart = true;
    const maxJitterMs = Math.min(JITTER * this.#timetable.period(), MAX_JITTER_MS);
    const stepMs = Math.min(STEP_MS, maxJitterMs);
    const waitMs = Math.round((random() * maxJitterMs) / stepMs) * stepMs;
    await clock.sleep(waitMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    if (this.#running === undefined) await this.#launch();
    else if (clock.monotonic() - this.#launchedAt > MIN_OVERDUE * this.#timetable.period()) record.skipped();
  }

  #launch(given?: AbortSignal): Promise<boolean> {
    this.#dropRetry();
    this.#launchedAt = this.#options.clock.monotonic();
    const stopping = this.#stopping.signal;
    const signal = given === undefined ? stopping : AbortSignal.any([given, stopping]);
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
    const { collector, clock, record, onFinished } = this.#options;
    const startedAt = clock.monotonic();
    record.begins();
    try {
      signal.throwIfAborted();
      const { complete } = await collector.run(signal);
      record.finished({ complete }, clock.monotonic() - startedAt);
    } catch (error) {
      // The outcome of a run that we broke off says nothing.
      if (signal.aborted) return false;
      if (error instanceof ApiError && error.retryAfterMs !== undefined) this.#runAfter(error.retryAfterMs);
      record.finished({ error }, clock.monotonic() - startedAt);
    }
    onFinished();
    return record.worked === true;
  }

  /** Requests were held back: a tick that came too early for them is made up for, unless the next one comes before. */
  #runAfter(ms: number): void {
    const { clock } = this.#options;
    this.#dropRetry();
    if (!this.#started || ms >= this.#timetable.untilNext()) return;
    const dropped = new AbortController();
    this.#retry = { at: clock.monotonic() + ms, dropped };
    // A timer may fire a fraction early.
    clock.sleep(Math.ceil(ms) + 1, dropped.signal).then(
      () => this.runSoon(),
      () => undefined,
    );
  }

  #dropRetry(): void {
    this.#retry?.dropped.abort();
    this.#retry = undefined;
  }
}
