import type { Clock } from "../lib/clock.ts";

/** A refresh is followed by a pause of four times its duration, at most 1 s. */
const REST = 4;
const MAX_REST_MS = 1_000;

/** Scrapes rarely use a page that the next one replaces within this time. */
const SELDOM_MS = 5_000;
/**
 * After so many frequent refreshes the pause is 2 s. With many servers there are dozens of commits a second, and each
 * refresh reads the whole page.
 */
const MAX_FREQUENT = 10;
const FREQUENT_REST_MS = 2_000;

/** Decides when a commit refreshes the page: one refresh at a time, and a pause after each. Times are monotonic. */
export class RefreshPacer {
  readonly #clock: Clock;
  readonly #refresh: () => Promise<void>;
  #running: Promise<void> | undefined;
  #runsAgain = false;
  /** A refresh that is due and not started. */
  #due: Promise<void> | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Successive refreshes within `SELDOM_MS`. */
  #frequent = 0;

  /** `refresh`: calls `begin` and `end` around work that deserves a pause. */
  constructor(clock: Clock, refresh: () => Promise<void>) {
    this.#clock = clock;
    this.#refresh = refresh;
  }

  begin(): void {
    const now = this.#clock.monotonic();
    this.#frequent = now - this.#startedAt > SELDOM_MS ? 0 : this.#frequent + 1;
    this.#startedAt = now;
  }

  end(): void {
    const now = this.#clock.monotonic();
    const usualMs = Math.min(MAX_REST_MS, REST * (now - this.#startedAt));
    this.#restsUntil = now + (this.#frequent >= MAX_FREQUENT ? FREQUENT_REST_MS : usualMs);
  }

  /** Refreshes without a pause before. Calls during a refresh share the next one. */
  refresh(): Promise<void> {
    if (this.#running !== undefined) this.#runsAgain = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  refreshSoon(signal: AbortSignal): void {
    this.#due ??= this.#refreshWhenRested(signal);
  }

  /** Resolves when no refresh is due. */
  async settled(): Promise<void> {
    await (this.#due ?? this.#running);
  }

  async #refreshWhenRested(signal: AbortSignal): Promise<void> {
    // It may have read the store before this commit.
    await this.#running;
    const restMs = this.#restsUntil - this.#clock.monotonic();
    if (restMs > 0) await this.#clock.sleep(restMs, signal).catch(() => undefined);
    this.#due = undefined;
    if (!signal.aborted) await this.refresh();
  }

  async #run(): Promise<void> {
    do {
      this.#runsAgain = false;
      await this.#refresh();
    } while (this.#runsAgain);
  }
}
