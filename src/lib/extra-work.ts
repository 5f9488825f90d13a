import { onAbort } from "./abort.ts";
import type { Clock } from "./clock.ts";

/** Part of the time. What comes to a loop that works for longer waits for two others on average. */
export const MAX_UTILIZATION = 0.7;
/** More at a time do not make the one processor faster, and a scrape waits for the answers to all of them. */
export const MAX_AT_ONCE = 32;
/** A slow reader, or pages without a break between them, pause reads for no longer, milliseconds. */
export const MAX_PAUSE_MS = 500;

/** A read that can wait. */
export interface ExtraRead {
  /** Who asks, for the figures. */
  readonly collector: string;
  /** For how long what it brings has been missing, milliseconds: the oldest goes first. Infinity: before all. */
  readonly ageMs: number;
  /** It does not wait beyond then, monotonic milliseconds. */
  readonly deadline: number;
}

/** What collectors of extras work with. */
export type Extras = Pick<ExtraWork, "acquire" | "countDeferred">;

interface QueuedRead extends ExtraRead {
  /** Since when it has been missing, monotonic milliseconds. */
  readonly since: number;
  readonly decide: (isAllowed: boolean) => void;
}

/**
 * A gate for the reads that give way to everything else. All servers share one queue, and the oldest gap goes first. Few are
 * under way at a time. While the event loop is busy or a page is sent, the gate is closed.
 */
export class ExtraWork {
  readonly #clock: Clock;
  readonly #queue = new Set<QueuedRead>();
  #atOnce = 0;
  #deferred = 0;
  #isBusy = false;
  /** Pages that are being sent, and since when there has been one, monotonic milliseconds. */
  #pages = 0;
  #pagesSince = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  queued(collector: string): number {
    let count = 0;
    for (const each of this.#queue) if (each.collector === collector) count++;
    return count;
  }

  /**
   * Resolves when the read may begin, with the function to call when it has ended. Undefined: it would begin too late.
   * @throws the signal's reason when it aborts
   */
  async acquire(read: ExtraRead, signal: AbortSignal): Promise<(() => void) | undefined> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const queued = { ...read, since: this.#clock.monotonic() - read.ageMs, decide: resolve };
    this.#queue.add(queued);
    const forget = onAbort(signal, () => this.#decide(queued, false));
    this.#beginAll();
    // A cycle that is over learns of it at once.
    if (read.deadline <= this.#clock.monotonic()) this.#decide(queued, false);
    const isAllowed = await promise;
    forget();
    if (isAllowed) return () => this.#end();
    signal.throwIfAborted();
    return undefined;
  }

  /** So many reads were left for a later run. */
  countDeferred(reads: number): void {
    this.#deferred += reads;
  }

  /** Reads that were left for a later run since the last call. */
  takeDeferred(): number {
    const deferred = this.#deferred;
    this.#deferred = 0;
    return deferred;
  }

  /** No read begins until this settles: each step of a page would wait for the answers that come in between. */
  pauseFor(sent: Promise<unknown>): void {
    if (this.#pages === 0) this.#pagesSince = this.#clock.monotonic();
    this.#pages++;
    const end = () => {
      this.#pages--;
      this.#beginAll();
    };
    sent.then(end, end);
  }

  /**
   * To be called regularly. While the process is busy one read begins with each call, so that none waits for ever.
   * @param utilization Part of the time in which the event loop was busy lately.
   */
  follow(utilization: number): void {
    this.#isBusy = utilization > MAX_UTILIZATION;
    if (!this.#isBusy) this.#beginAll();
    else if (this.#hasRoom()) this.#beginOldest();
    const now = this.#clock.monotonic();
    for (const each of this.#queue) if (each.deadline <= now) this.#decide(each, false);
  }

  #beginAll(): void {
    while (this.#queue.size > 0 && !this.#isBusy && this.#hasRoom()) this.#beginOldest();
  }

  #hasRoom(): boolean {
    const isPaused = this.#pages > 0 && this.#clock.monotonic() - this.#pagesSince < MAX_PAUSE_MS;
    return !isPaused && this.#atOnce < MAX_AT_ONCE;
  }

  #beginOldest(): void {
    let oldest: QueuedRead | undefined;
    for (const each of this.#queue) if (oldest === undefined || each.since < oldest.since) oldest = each;
    if (oldest === undefined) return;
    this.#atOnce++;
    this.#decide(oldest, true);
  }

  #end(): void {
    this.#atOnce--;
    this.#beginAll();
  }

  #decide(queued: QueuedRead, isAllowed: boolean): void {
    this.#queue.delete(queued);
    queued.decide(isAllowed);
  }
}
