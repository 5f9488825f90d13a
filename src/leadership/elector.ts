import { type Clock, onAbort } from "../lib/clock.ts";
import { afterAwake } from "../lib/deadline.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { Runtime } from "../lib/runtime.ts";
import { Election, type ElectionTimes } from "./election.ts";
import type { LeaseClient } from "./lease-client.ts";

export interface ElectorOptions extends Runtime {
  readonly client: LeaseClient;
  readonly times: ElectionTimes;
  /** Unique to this process. */
  readonly identity: string;
}

/** Milliseconds to release the Lease at the end. Without a release, followers wait for its duration. */
const RELEASE_MS = 2_000;
const MAX_RELEASE_ATTEMPTS = 3;
const REMIND_MS = 10 * 60_000;

const OVER = new Error("the election is over");

/** Executes the steps of `Election`. */
export class Elector {
  /** Resolves when this process becomes leader. */
  readonly elected: Promise<void>;
  /** Resolves when this process loses leadership. Its work must stop. */
  readonly lost: Promise<void>;
  readonly identity: string;
  readonly #options: ElectorOptions;
  readonly #election: Election;
  readonly #elected = Promise.withResolvers<void>();
  readonly #lost = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  readonly #failures: LogOnChange;
  #running: Promise<void> | undefined;
  /** A write may have taken the Lease. */
  #hasClaimed = false;
  #lastHolder: string | undefined;

  constructor(options: ElectorOptions) {
    const { identity, times, random, clock } = options;
    this.#options = options;
    this.#election = new Election(identity, times, random);
    this.#failures = new LogOnChange({ remindEveryMs: REMIND_MS, now: () => clock.monotonic() });
    this.identity = identity;
    this.elected = this.#elected.promise;
    this.lost = this.#lost.promise;
  }

  get isLeading(): boolean {
    return this.#election.isLeading(this.#options.clock.monotonic());
  }

  get holder(): string | undefined {
    return this.#election.holder;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Releases the Lease: another process may lead at once, so the leader's work must be over. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort(OVER);
    await this.#running;
    if (this.#hasClaimed) await this.#release();
    await this.#options.client.close().catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      const step = this.#election.next(startedAt);
      if (step.kind === "lost") return this.#lost.resolve();
      try {
        if (step.kind === "wait") {
          await clock.sleep(step.end - startedAt, signal);
          continue;
        }
        if (step.kind === "read") {
          const lease = await this.#within((request) => this.#options.client.read(request));
          this.#election.found(lease, clock.monotonic());
        } else if (step.kind === "create") {
          const result = await this.#within((request) => this.#options.client.create(request));
          const now = clock.monotonic();
          if (result.kind === "written") this.#election.found(result.lease, now);
          else this.#election.conflicted(now);
        } else {
          this.#hasClaimed = true;
          const { over, claim } = step;
          const result = await this.#within((request) => this.#options.client.write(over, claim, request));
          const now = clock.monotonic();
          if (result.kind === "written") this.#election.written(result.lease, startedAt, now);
          else this.#election.conflicted(now);
        }
        this.#worked();
      } catch (error) {
        if (signal.aborted) return;
        this.#election.failed(startedAt, clock.monotonic());
        this.#failed(error);
      }
    }
  }

  /** Limited by the request timeout and by the leadership: a hanging request must not hide its end. */
  async #within<Result>(ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { clock, times } = this.#options;
    const now = clock.monotonic();
    const leftMs = (this.#election.leadershipEnd ?? Number.POSITIVE_INFINITY) - now;
    return bounded(clock, requestTimeout(times), this.#stopping.signal, ask, leftMs);
  }

  #worked(): void {
    const { log } = this.#options;
    const failures = this.#failures.over();
    if (failures > 0) log.info({ failures }, "the Lease can be read and written again");
    const { holder } = this.#election;
    if (holder !== this.#lastHolder) {
      this.#lastHolder = holder;
      if (holder !== undefined && holder !== this.identity)
        log.info({ leader: holder }, "another replica is the leader");
    }
    if (this.isLeading) this.#elected.resolve();
  }

  #failed(error: unknown): void {
    const occasion = this.#failures.record(error instanceof Error ? error.message : String(error));
    if (occasion === undefined) return;
    const level = this.isLeading ? "error" : "warn";
    this.#options.log[level]({ err: error, times: occasion.times }, "the Lease cannot be read or written");
  }

  async #release(): Promise<void> {
    const { client, clock, identity, times, log } = this.#options;
    const never = new AbortController();
    try {
      await bounded(clock, RELEASE_MS, never.signal, async (signal) => {
        for (let attempt = 0; attempt < MAX_RELEASE_ATTEMPTS; attempt++) {
          // An aborted renewal may have arrived.
          const lease = await client.read(signal);
          if (lease?.holder !== identity) return;
          const claim = { holder: "", durationMs: times.leaseDurationMs, isTaken: false };
          const { kind } = await client.write(lease, claim, signal);
          if (kind === "written") return log.info("the Lease was released");
        }
      });
    } catch (err) {
      log.warn({ err }, "the Lease cannot be released: standbys wait until it expires");
    }
  }
}

/** A leader has time for three attempts. */
export function requestTimeout({ renewDeadlineMs }: ElectionTimes): number {
  return renewDeadlineMs / 3;
}

/** Does not wait for work that ignores its signal. Adds the time in which the process was busy, up to `maxMs`. */
async function bounded<Result>(
  clock: Clock,
  ms: number,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
  maxMs = Number.POSITIVE_INFINITY,
): Promise<Result> {
  parent.throwIfAborted();
  const from = clock.monotonic();
  const controller = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    controller.abort(reason);
    ended.reject(reason);
  };
  const forget = onAbort(parent, () => end(parent.reason));
  const expire = () => end(new Error(`no answer within ${Math.round(clock.monotonic() - from) / 1_000} s`));
  const cancel = afterAwake(clock, ms, expire, maxMs);
  try {
    return await Promise.race([work(controller.signal), ended.promise]);
  } finally {
    cancel();
    forget();
  }
}
