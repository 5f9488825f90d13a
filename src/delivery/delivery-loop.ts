import { describeError } from "../errors/exporter-error.ts";
import { type Clock, onAbort } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { RETRIES, retryDelayMs } from "../lib/retry-delay.ts";

/** Longer pauses would look like an outage. */
const MAX_REQUESTED_PAUSE_MS = 15 * 60_000;
/** The metrics count all failures. */
const REMIND_EVERY_MS = 10 * 60_000;

export interface Pause {
  /** Milliseconds until the next attempt. */
  readonly ms: number;
  /** The part that the receiver asked for, bounded. `undefined`: it asked for none. */
  readonly requestedMs: number | undefined;
  /** Number of failures since the receiver accepted something. */
  readonly failures: number;
  /** The failure is worth a log line. */
  readonly isNews: boolean;
}

/** Pauses between attempts while a receiver accepts nothing. */
export class Backoff {
  readonly #random: () => number;
  readonly #log: LogOnChange;
  #failures = 0;

  constructor({ clock, random }: { readonly clock: Pick<Clock, "monotonic">; readonly random: () => number }) {
    this.#random = random;
    this.#log = new LogOnChange({ remindEveryMs: REMIND_EVERY_MS, now: () => clock.monotonic() });
  }

  /** The receiver accepted something. */
  accepted(): void {
    this.#failures = 0;
  }

  /** The receiver accepted everything. Returns the number of failures before. */
  recovered(): number {
    this.#failures = 0;
    return this.#log.over();
  }

  /** Adds jitter, so that exporters do not retry in step. */
  failed(retryAfterMs: number | undefined): Pause {
    const random = this.#random();
    const common = { failures: ++this.#failures, isNews: this.#log.record() !== undefined };
    if (retryAfterMs === undefined)
      return { ms: retryDelayMs(RETRIES.delivery, this.#failures, random), requestedMs: undefined, ...common };
    const requestedMs = Math.min(retryAfterMs, MAX_REQUESTED_PAUSE_MS);
    return { ms: requestedMs + RETRIES.delivery.firstMs * random, requestedMs, ...common };
  }
}

/** At the end, no request begins after this part of the time, so that the last one can be answered. */
const LAST_START = 0.8;

/** The receiver did not settle the whole batch. */
export interface DeliveryFailure {
  readonly kind: "failed";
  readonly retryAfterMs: number | undefined;
  readonly message: string;
}

/** What the delivery of the next batch showed. */
export type Pass =
  | DeliveryFailure
  | { readonly kind: "done" }
  /** There is nothing to send. */
  | { readonly kind: "idle" }
  /** Nothing may be sent for this time, except what comes meanwhile. */
  | { readonly kind: "waits"; readonly ms: number };

/**
 * How a loop ends. `batch`: with the batch under way. `attempt`: with what waits, until something fails. `drain`: with
 * what waits, and retries while there is time.
 */
type Ending = "batch" | "attempt" | "drain";

/**
 * Sends, and fails when the time is over: a sink that ignores the signal must not keep the process alive.
 * Never rejects.
 */
export async function attempt<Outcome>(
  send: (cutOff: AbortSignal) => Promise<Outcome>,
  cutOff: AbortSignal,
): Promise<Outcome | DeliveryFailure> {
  const over = Promise.withResolvers<DeliveryFailure>();
  const failed = (message: string): DeliveryFailure => ({ kind: "failed", retryAfterMs: undefined, message });
  const forget = onAbort(cutOff, () => over.resolve(failed("no time left before the exit")));
  try {
    return await Promise.race([send(cutOff), over.promise]);
  } catch (error) {
    return failed(describeError(error));
  } finally {
    forget();
  }
}

/** Delivers batches to one receiver in sequence. Retries without end. */
export abstract class DeliveryLoop {
  protected readonly backoff: Backoff;
  readonly #clock: Clock;
  /** Aborts when the rest must go at once. */
  readonly #flushing = new AbortController();
  readonly #stop = new AbortController();
  readonly #cutOff = new AbortController();
  #ending: Ending | undefined;
  #came = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #requestedPauseEnd = Number.NEGATIVE_INFINITY;
  #deadline = Number.POSITIVE_INFINITY;
  #isRetry = false;

  constructor(options: { readonly clock: Clock; readonly random: () => number }) {
    this.#clock = options.clock;
    this.backoff = new Backoff(options);
  }

  protected abstract hasWork(): boolean;

  /** Milliseconds in which more may gather. Not called before a retry. */
  protected lingerMs(): number {
    return 0;
  }

  /**
   * Delivers the next batch. Never rejects.
   * @param cutOff Aborts when the time is over.
   * @param stop Aborts when no further request may begin.
   */
  protected abstract deliverNext(cutOff: AbortSignal, stop: AbortSignal): Promise<Pass>;

  protected abstract recordFailure(failure: DeliveryFailure, pause: Pause): void;

  start(): void {
    this.#running ??= this.#run();
  }

  /** Something waits. */
  notify(): void {
    this.#came.resolve();
  }

  /** Resolves within `graceMs`. Never rejects. */
  protected async finish(graceMs: number, ending: Ending): Promise<void> {
    this.#ending = ending;
    this.#deadline = this.#clock.monotonic() + LAST_START * graceMs;
    // Ends our own backoff, but not a pause that the receiver asked for.
    this.#notBefore = this.#requestedPauseEnd;
    this.#flushing.abort();
    this.notify();
    const cancelStop = this.#clock.after(LAST_START * graceMs, () => this.#stop.abort());
    const cancelCutOff = this.#clock.after(graceMs, () => this.#cutOff.abort());
    await this.#running;
    cancelStop();
    cancelCutOff();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#gather();
      if (!(await this.#pause())) return;
      const isLastAttempt = this.#ending === "attempt";
      const pass = await this.deliverNext(this.#cutOff.signal, this.#stop.signal);
      if (pass.kind === "waits") {
        if (!(await this.#awaitTurn(pass.ms))) return;
      } else if (pass.kind === "idle") {
        if (this.#isFlushing) return;
      } else {
        this.#isRetry = pass.kind === "failed";
        if (pass.kind === "failed") this.#failed(pass);
        if (isLastAttempt && this.#isRetry) return;
      }
    }
  }

  get #isFlushing(): boolean {
    return this.#flushing.signal.aborted;
  }

  async #gather(): Promise<void> {
    while (!this.#isFlushing && !this.hasWork()) {
      this.#came = Promise.withResolvers();
      await this.#came.promise;
    }
    if (!this.#isRetry) await this.#sleep(this.lingerMs(), this.#flushing.signal);
  }

  /** False if the loop ends before the next attempt. */
  async #pause(): Promise<boolean> {
    const leftMs = () => this.#notBefore - this.#clock.monotonic();
    if (!this.#isFlushing) await this.#sleep(leftMs(), this.#flushing.signal);
    if (!this.#isFlushing) return true;
    if (this.#ending === "batch") return false;
    if (this.#ending === "attempt") return this.#requestedPauseEnd <= this.#clock.monotonic();
    if (this.#notBefore >= this.#deadline) return false;
    await this.#sleep(leftMs(), this.#stop.signal);
    return this.#clock.monotonic() < this.#deadline;
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0) await this.#clock.sleep(ms, signal).catch(() => undefined);
  }

  /** Waits for a turn, or for something that needs none. False if the time is over. */
  async #awaitTurn(ms: number): Promise<boolean> {
    if (this.#isFlushing) {
      if (this.#ending !== "drain" || this.#clock.monotonic() + ms >= this.#deadline) return false;
      await this.#sleep(ms, this.#stop.signal);
      return true;
    }
    this.#came = Promise.withResolvers();
    const cancel = this.#clock.after(ms, () => this.#came.resolve());
    await this.#came.promise;
    cancel();
    return true;
  }

  #failed(failure: DeliveryFailure): void {
    // An end by us is not a failure of the receiver.
    if (this.#stop.signal.aborted) return;
    const pause = this.backoff.failed(failure.retryAfterMs);
    const now = this.#clock.monotonic();
    if (pause.requestedMs !== undefined) this.#requestedPauseEnd = now + pause.requestedMs;
    this.#notBefore = now + pause.ms;
    this.recordFailure(failure, pause);
  }
}
