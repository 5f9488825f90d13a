import type { Clock } from "../lib/clock.ts";
import type { ExtraRead, Extras } from "../lib/extra-work.ts";
import type { Runtime } from "../lib/runtime.ts";
import { confirmationWindow, type ExpiryPolicy } from "../model/update-context.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";
import { currentRun } from "../telemetry/run-trace.ts";
import { COLLECTORS, type CollectorName, collectorsWith, type PollResult } from "./collector.ts";
import { CollectorRunner, type CollectorStatus } from "./collector-runner.ts";
import { pollStatus, pollTree } from "./node-polls.ts";
import type { Phase } from "./phases.ts";
import type { PolledServer } from "./polled-server.ts";
import { pollChannels, pollDetails, pollHealth, pollLimits, pollTimeSeries, VERSION_EVERY_MS } from "./polls.ts";
import type { RunRecord, RunRecords } from "./run-record.ts";
import { ListFollower } from "./time-series.ts";
import type { Timetables } from "./timetable.ts";

const POLLS: {
  readonly [Name in CollectorName]: (server: PolledServer, signal: AbortSignal) => Promise<PollResult>;
} = {
  health: pollHealth,
  tree: pollTree,
  status: pollStatus,
  channels: pollChannels,
  limits: pollLimits,
  details: pollDetails,
  timeseries: pollTimeSeries,
};

const EXTRAS: ReadonlySet<CollectorName> = new Set(collectorsWith("isExtra"));
/** A turn of extra work that waits as long as necessary. */
const PATIENT: Omit<ExtraRead, "collector"> = {
  ageMs: Number.POSITIVE_INFINITY,
  deadline: Number.POSITIVE_INFINITY,
};

export interface ServerCollectorsOptions
  extends Omit<PolledServer, "lists" | "onRecovered" | "onNewVersion">,
    Pick<Runtime, "log"> {
  /** Runs of these collectors, and of earlier ones over the same state. */
  readonly records: RunRecords;
  readonly timetables: Timetables;
  readonly phase: Phase;
  /** Resolves when the first runs may start. */
  readonly turnToStart: () => Promise<void>;
  readonly metrics: ServerRecorder;
  readonly extras: Extras;
  /** Resolves when the page contains the state of now. */
  readonly pageUpToDate: () => Promise<void>;
}

/**
 * The collectors of one server: which poll each one runs, and what follows from its result. Once stopped they do not start
 * again.
 */
export class ServerCollectors {
  readonly #options: ServerCollectorsOptions;
  readonly #lists: ListFollower;
  /** Runners in the order of their first runs. */
  readonly #runners = new Map<CollectorName, CollectorRunner>();
  /** Extras that have worked once. */
  readonly #begun = new Set<CollectorName>();
  #isStopped = false;

  constructor(options: ServerCollectorsOptions) {
    const { records, timetables, phase, series, clock } = options;
    this.#options = options;
    this.#lists = new ListFollower(options);
    const server: PolledServer = {
      ...options,
      lists: this.#lists,
      onRecovered: () => {
        for (const runner of this.#runners.values()) runner.recoverSoon();
      },
      onNewVersion: () => {
        for (const { record } of this.#runners.values()) record.tryAgain();
      },
    };
    for (const { name, isExtra, defers } of COLLECTORS) {
      const timetable = timetables.get(name);
      if (timetable === undefined || (defers && series === undefined)) continue;
      const poll = (signal: AbortSignal) => POLLS[name](server, signal);
      const runner = new CollectorRunner({
        poll: isExtra && !defers ? (signal) => this.#inTurn(name, poll, signal) : poll,
        record: records.open(name),
        onResult: (result) => this.#runNext(name, result),
        timetable,
        clock,
        jitter: () => phase.jitter(name, timetable.lastTickAt),
      });
      this.#runners.set(name, runner);
    }
  }

  /**
   * Starts the schedules, and the first runs in the order of `COLLECTORS`. Resolves when these have finished, without
   * extras; with false if the collectors were stopped before.
   */
  async start(): Promise<boolean> {
    for (const runner of this.#runners.values()) {
      if (runner.record.mustRunAtStart) runner.resumeTimetable();
      else void runner.start();
    }
    this.#options.metrics.up(this.up);
    this.#lists.hold();
    await this.#options.turnToStart();
    await this.#startAll(COLLECTORS.filter(({ isExtra }) => !isExtra));
    void this.#startExtras();
    return !this.#isStopped;
  }

  /** Starts extras after the first page, which they would delay. */
  async #startExtras(): Promise<void> {
    await this.#options.pageUpToDate();
    await this.#lists.release();
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
    // Before the runners end, a page that is up to date would release the first list.
    await this.#lists.stop();
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    await this.#lists.stop();
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

  /** Records in the order of the first runs. */
  get records(): readonly RunRecord[] {
    return Array.from(this.#runners.values(), ({ record }) => record);
  }

  status(): readonly CollectorStatus[] {
    return Array.from(this.#runners.values(), (runner) => runner.status());
  }

  /** Extras run while the process has time, but not during the start. */
  async #inTurn(
    collector: CollectorName,
    poll: (signal: AbortSignal) => Promise<PollResult>,
    signal: AbortSignal,
  ): Promise<PollResult> {
    const { extras, clock } = this.#options;
    const since = clock.monotonic();
    const end = this.#begun.has(collector) ? await extras.acquire({ ...PATIENT, collector }, signal) : undefined;
    currentRun()?.addWork("waiting for a pause of other work", since);
    try {
      const result = await poll(signal);
      this.#begun.add(collector);
      return result;
    } finally {
      end?.();
    }
  }

  /** Decides what runs next. New objects do not wait for a tick. */
  #runNext(finished: CollectorName, { needsTree = false }: PollResult): void {
    const { connection, metrics } = this.#options;
    metrics.up(this.up);
    metrics.clockOffset(connection.api.clockOffset() / 1000);
    if (needsTree) this.#runners.get("tree")?.runSoon();
    const runner = this.#runners.get(finished);
    if (runner?.record.isIncomplete === true) runner.runSoon();
    // Polls that started before the tree was settled missed objects.
    if (finished !== "tree" || runner?.record.isSettled !== true) return;
    for (const each of this.#runners.values()) if (each.record.lacksBasis) each.runSoon();
  }
}

/** A fact lasts as long as the collectors that run can confirm it. */
export function createExpiryPolicy(clock: Clock, timetables: Timetables): ExpiryPolicy {
  const after = (fact: keyof ExpiryPolicy, minMs = 0) => {
    const confirmer = confirmersOf(fact).find((name) => timetables.has(name));
    const windowMs = (confirmer && timetables.get(confirmer)?.msToThird()) ?? 0;
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
