import type { Logger } from "pino";
import type { Schedule } from "../config/schedule.ts";
import type { Clock } from "../lib/clock.ts";
import type { Extras } from "../lib/extra-work.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import { confirmationWindow, type ExpiryPolicy } from "../model/update-context.ts";
import type { WantedSections } from "../prtg/node-record.ts";
import type { ChannelRecords } from "../prtg/records.ts";
import type { SyncEngine } from "../sync/sync-engine.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";
import { currentRun } from "../telemetry/run-trace.ts";
import { pollChannels, pollLimits } from "./channel-polls.ts";
import { COLLECTORS, type CollectorName, collectorsWith, type Poll, type PollResult } from "./collector.ts";
import { CollectorRunner, type CollectorStatus } from "./collector-runner.ts";
import { pollDetails } from "./details-poll.ts";
import { pollHealth, pollVersion, VERSION_EVERY_MS } from "./health-poll.ts";
import { pollStatus, pollTree } from "./node-polls.ts";
import type { RunRecord, RunRecords } from "./run-record.ts";
import type { PollHistory, ServerConnection } from "./server-connection.ts";
import type { StateWriter } from "./state-writer.ts";
import { type LatestValues, pollTimeSeries } from "./time-series-poll.ts";

const EXTRAS: ReadonlySet<CollectorName> = new Set(collectorsWith("isExtra"));

/** A collector without a schedule does not run. */
export type Schedules = { readonly [Name in CollectorName]?: Schedule | undefined };

export interface ServerCollectorsOptions {
  readonly connection: ServerConnection;
  readonly history: PollHistory;
  readonly writer: StateWriter;
  /** Of these collectors, and of earlier ones over the same state. */
  readonly records: RunRecords;
  /** `undefined` if time series are neither read nor pushed. */
  readonly sync: { readonly engine: SyncEngine; readonly latest: LatestValues } | undefined;
  readonly plan: {
    readonly schedules: Schedules;
    readonly sections: WantedSections;
  };
  readonly telemetry: {
    /** Bound to the server. */
    readonly log: Logger;
    readonly server: ServerRecorder;
  };
  readonly budgets: { readonly objects: MemoryBudget; readonly extras: Extras };
  readonly turns: {
    /** See `createTimetable`. */
    readonly phase?: number | undefined;
    /** Resolves when the page contains the state of now; `undefined` without a page. */
    readonly pageUpToDate?: (() => Promise<void>) | undefined;
  };
  readonly runtime: {
    readonly clock: Clock;
    /** From 0 to below 1. */
    readonly random: () => number;
  };
}

/**
 * The collectors of one server: which poll each one runs, and what follows from its result. Once stopped they do not start
 * again.
 */
export class ServerCollectors {
  readonly #options: ServerCollectorsOptions;
  /** In the order of their first runs. */
  readonly #runners = new Map<CollectorName, CollectorRunner>();
  /** Set until the page has the state of the first runs, which time series would delay. */
  #firstPage: PromiseWithResolvers<void> | undefined;
  /** Time series follow the first list of channels. Never rejects. */
  #firstList: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: ServerCollectorsOptions) {
    const { plan, records, runtime, turns, telemetry } = options;
    this.#options = options;
    const polls = this.#polls();
    for (const { name } of COLLECTORS) {
      const schedule = plan.schedules[name];
      const poll = polls[name];
      if (schedule === undefined || poll === undefined) continue;
      const runner = new CollectorRunner({
        ...{ poll, schedule, record: records.open(name), phase: turns.phase, log: telemetry.log, ...runtime },
        onResult: (result) => this.#runNext(name, result),
      });
      this.#runners.set(name, runner);
    }
  }

  /**
   * Starts the schedules, and the first runs in the order of `COLLECTORS`. Resolves when these have finished, without
   * extras; with false if the collectors were stopped before.
   */
  async start(): Promise<boolean> {
    const { turns, telemetry } = this.#options;
    for (const runner of this.#runners.values()) {
      if (runner.record.mustRunAtStart) runner.resumeTimetable();
      else void runner.start();
    }
    telemetry.server.up(this.up);
    if (turns.pageUpToDate !== undefined) this.#firstPage = Promise.withResolvers();
    await this.#startAll(COLLECTORS.filter(({ isExtra }) => !isExtra));
    void this.#startExtras();
    return !this.#isStopped;
  }

  /** After the first page, which they would delay. */
  async #startExtras(): Promise<void> {
    await this.#options.turns.pageUpToDate?.();
    await this.#endFirstPage();
    await this.#startAll(COLLECTORS.filter(({ isExtra }) => isExtra));
  }

  async #startAll(collectors: typeof COLLECTORS): Promise<void> {
    for (const together of Map.groupBy(collectors, ({ firstRun }) => firstRun).values()) {
      await Promise.all(together.map(({ name }) => this.#runners.get(name)?.start()));
    }
  }

  /** Aborts polls, and resolves when all have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    await this.#endFirstPage();
  }

  /** One run of each collector, in order. Resolves with whether all worked; false when `signal` aborts. */
  async runOnce(signal: AbortSignal): Promise<boolean> {
    let worked = true;
    for (const runner of this.#runners.values()) {
      if (signal.aborted) return false;
      worked = (await runner.runOnce(signal)) && worked;
    }
    return worked;
  }

  has(name: CollectorName): boolean {
    return this.#runners.has(name);
  }

  /** Whether the last runs worked, and read all objects of now. Collectors without a schedule do not count. */
  get up(): boolean {
    for (const [name, { record }] of this.#runners) {
      if (!EXTRAS.has(name) && !record.isUpToDate) return false;
    }
    return true;
  }

  /** In the order of the first runs. */
  get records(): readonly RunRecord[] {
    return Array.from(this.#runners.values(), ({ record }) => record);
  }

  status(): readonly CollectorStatus[] {
    return Array.from(this.#runners.values(), (runner) => runner.status());
  }

  /** Milliseconds until the third run from now; `undefined` if the collector does not run. */
  msToThird(name: CollectorName): number | undefined {
    return this.#runners.get(name)?.msToThird();
  }

  #polls(): { readonly [Name in CollectorName]: Poll | undefined } {
    const { connection, history, writer, sync, plan, budgets } = this.#options;
    const { api, selected } = connection;
    const { lookups } = history;
    const memory = budgets.objects;
    const nodes = { connection, gaps: history.nodes, writer, memory, sections: plan.sections };
    const isWhole = selected === undefined;
    return {
      health: (signal) => this.#pollHealth(signal),
      tree: (signal) => pollTree(nodes, signal),
      status: (signal) => pollStatus(nodes, signal),
      channels: (signal) => this.#pollChannels(signal),
      limits: this.#asExtra("limits", (signal) => pollLimits({ api, lookups, writer, memory }, signal)),
      details: this.#asExtra("details", (signal) => pollDetails({ api, isWhole, writer, memory }, signal)),
      timeseries: sync && ((signal) => pollTimeSeries(sync.engine, sync.latest, signal)),
    };
  }

  async #pollHealth(signal: AbortSignal): Promise<PollResult> {
    const { connection, history, writer, runtime } = this.#options;
    const { api } = connection;
    const { health } = history;
    const { recovered } = await pollHealth(api, health, signal);
    if (recovered) for (const runner of this.#runners.values()) runner.recoverSoon();
    const { changed } = await pollVersion({ api, health, writer, clock: runtime.clock }, signal);
    if (changed) for (const { record } of this.#runners.values()) record.tryAgain();
    return { complete: true };
  }

  async #pollChannels(signal: AbortSignal): Promise<PollResult> {
    const { connection, history, writer, budgets, runtime } = this.#options;
    const { api } = connection;
    const { clock } = runtime;
    // A second list does not wait for the first page.
    if (this.#firstList !== undefined) await this.#endFirstPage();
    const follow = this.#followChannels.bind(this);
    return pollChannels({ api, gaps: history.nodes, writer, memory: budgets.objects, clock, follow }, signal);
  }

  /** Time series follow the first list after the first page, and later lists at once. */
  async #followChannels(channels: ChannelRecords, requestedAt: number): Promise<void> {
    const { writer, sync, telemetry } = this.#options;
    if (sync === undefined) return;
    const { state } = writer;
    const intervalOf = state.intervalMs.bind(state);
    const follow = () => sync.engine.onListPoll(channels, intervalOf, { requestedAt, slices: writer.slices() });
    if (this.#firstPage === undefined) return follow();
    this.#firstList = this.#firstPage.promise
      .then(() => (this.#isStopped ? undefined : follow()))
      .catch((err: unknown) => {
        telemetry.log.error({ err }, "cannot start the time series after the first list");
      });
  }

  async #endFirstPage(): Promise<void> {
    this.#firstPage?.resolve();
    this.#firstPage = undefined;
    await this.#firstList;
  }

  /** Extras run while the process has time, but not during the start. */
  #asExtra(collector: CollectorName, poll: Poll): Poll {
    const { extras } = this.#options.budgets;
    const { clock } = this.#options.runtime;
    let isFirst = true;
    return async (signal) => {
      const turn = { collector, ageMs: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY };
      const since = clock.monotonic();
      const end = isFirst ? undefined : await extras.acquire(turn, signal);
      currentRun()?.addWork("waiting for a pause of other work", since);
      try {
        const result = await poll(signal);
        isFirst = false;
        return result;
      } finally {
        end?.();
      }
    };
  }

  /** Decides what runs next. New objects do not wait for a tick. */
  #runNext(finished: CollectorName, { needsTree = false }: PollResult): void {
    const { connection, telemetry } = this.#options;
    telemetry.server.up(this.up);
    telemetry.server.clockOffset(connection.api.clockOffset() / 1000);
    if (needsTree) this.#runners.get("tree")?.runSoon();
    const runner = this.#runners.get(finished);
    if (runner?.record.isIncomplete === true) runner.runSoon();
    // Polls that started before the tree was settled missed objects.
    if (finished !== "tree" || runner?.record.isSettled !== true) return;
    for (const each of this.#runners.values()) if (each.record.lacksBasis) each.runSoon();
  }
}

/**
 * @param msToThird Milliseconds until the third run from now of a collector; `undefined` if it does not run.
 */
export function createExpiryPolicy(clock: Clock, msToThird: (name: CollectorName) => number | undefined): ExpiryPolicy {
  const after = (fact: keyof ExpiryPolicy, minMs = 0) => {
    const windows = confirmersOf(fact).map(msToThird);
    const windowMs = windows.find((found) => found !== undefined) ?? 0;
    return clock.monotonic() + confirmationWindow(Math.max(windowMs, minMs));
  };
  return {
    state: () => after("state"),
    property: () => after("property"),
    channel: () => after("channel"),
    limit: () => after("limit"),
    version: () => after("version", 3 * VERSION_EVERY_MS),
    detail: () => after("detail"),
  };
}

/** Collectors that confirm a fact. If the first one does not run, the next one decides how long the fact lasts. */
function confirmersOf(fact: keyof ExpiryPolicy): readonly CollectorName[] {
  return [0, 1].flatMap((place) => COLLECTORS.filter((row) => row.confirms[place] === fact)).map(({ name }) => name);
}
