import { type Clock, onAbort } from "./clock.ts";

/** Above this utilization a task waits for two others on average. */
export const MAX_UTILIZATION = 0.7;
/** More do not make one processor faster, and a scrape waits for all answers. */
export const MAX_AT_ONCE = 32;
/** Limits the pause of a slow or constant reader, milliseconds. */
export const MAX_PAUSE_MS = 500;

export interface ExtraRead {
  readonly collector: string;
  /** How long the data has been missing, milliseconds. The oldest gap goes first. Infinity: before all. */
  readonly ageMs: number;
  /** Monotonic milliseconds. The read does not start later. */
  readonly deadline: number;
}

export type Extras = Pick<ExtraWork, "acquire" | "countDeferred">;

interface QueuedRead extends ExtraRead {
  readonly since: number;
  readonly decide: (isAllowed: boolean) => void;
}

/**
 * A gate for reads that give way to everything else. All servers share one queue, and the oldest gap goes first. The
 * gate is closed while the event loop is busy or a page is being sent.
 */
export class ExtraWork {
  readonly #clock: Clock;
  readonly #queue = new Set<QueuedRead>();
  #atOnce = 0;
  #deferred = 0;
  #isBusy = false;
  /** Pages being sent, and the start of that state, monotonic milliseconds. */
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
   * Resolves with the function to call at the end, or with `undefined` if the deadline passed.
   * @throws the signal's reason
   */
  async acquire(read: ExtraRead, signal: AbortSignal): Promise<(() => void) | undefined> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const queued = { ...read, since: this.#clock.monotonic() - read.ageMs, decide: resolve };
    this.#queue.add(queued);
    const forget = onAbort(signal, () => this.#decide(queued, false));
    this.#beginAll();
    // Ends the wait of a finished cycle at once.
    if (read.deadline <= this.#clock.monotonic()) this.#decide(queued, false);
    const isAllowed = await promise;
    forget();
    if (isAllowed) return () => this.#end();
    signal.throwIfAborted();
    return undefined;
  }

  countDeferred(reads: number): void {
    this.#deferred += reads;
  }

  /** Deferred reads since the last call. */
  takeDeferred(): number {
    const deferred = this.#deferred;
    this.#deferred = 0;
    return deferred;
  }

  /** Starts no read before this settles: each answer would delay the page. */
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
   * Call regularly. A busy process starts one read per call, so that none starves.
   * @param utilization Of the event loop, from 0 to 1.
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
