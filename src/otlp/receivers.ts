import type { Clock } from "../lib/clock.ts";
import { type Pause, Pauses } from "../lib/pauses.ts";

/** Nothing was sent: the pause that the receiver asked for is not over. */
export class ReceiverHeld extends Error {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super("the receiver asked for a pause, which is not over yet");
    this.retryAfterMs = retryAfterMs;
  }
}

/** What a receiver's answers say about gzip. */
export interface GzipSupport {
  refused: boolean;
  /** Monotonic milliseconds. Before it a 400 is about the data. Infinity after a success: the next 400 is. */
  trustEndsAt: number;
}

/** What all connections to one receiver share: metrics and logs, before and after a reload. */
export class Receiver {
  readonly rate: ByteRate;
  readonly #gzip = new Map<string, GzipSupport>();
  readonly #pause: Pause;

  constructor(clock: Clock, pause: Pause) {
    this.rate = new ByteRate(clock);
    this.#pause = pause;
  }

  gzipAt(url: string): GzipSupport {
    const known = this.#gzip.get(url) ?? { refused: false, trustEndsAt: Number.NEGATIVE_INFINITY };
    this.#gzip.set(url, known);
    return known;
  }

  /** The receiver asked for a pause. */
  hold(ms: number): void {
    this.#pause.hold(ms);
  }

  /** @throws ReceiverHeld while a pause lasts */
  assertOpen(): void {
    const heldForMs = this.#pause.heldForMs();
    if (heldForMs > 0) throw new ReceiverHeld(heldForMs);
  }
}

/** Receivers by origin, for the life of the process: a reload must not end a pause. */
export class Receivers {
  readonly #clock: Clock;
  readonly #pauses: Pauses;
  readonly #known = new Map<string, Receiver>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#pauses = new Pauses(clock);
  }

  at(url: string): Receiver {
    const { origin } = new URL(url);
    const known = this.#known.get(origin) ?? new Receiver(this.#clock, this.#pauses.of(origin));
    this.#known.set(origin, known);
    return known;
  }
}

/** A quiet receiver may get so many seconds' worth of bytes at once. */
const BURST_SECONDS = 1;
/** What was sent beyond the rate delays history by at most this time. */
const MAX_DEBT_SECONDS = 10;

/**
 * Spreads history over time. Everything that is sent counts, as it is on the wire. Only history waits: the rest cannot be
 * spread, it would just be late. If the rest alone exceeds the rate, history still gets a turn every `MAX_DEBT_SECONDS`.
 */
export class ByteRate {
  readonly #clock: Clock;
  #bytesPerSecond = 0;
  /** Bytes that may be sent now; negative after more than that was sent. */
  #credit = 0;
  #creditAt: number;
  #lastBytes = 0;
  #nextTurn = Number.NEGATIVE_INFINITY;
  #lastTurn = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#creditAt = clock.monotonic();
  }

  /** 0: no limit. */
  limit(bytesPerSecond: number): void {
    if (bytesPerSecond === this.#bytesPerSecond) return;
    this.#bytesPerSecond = bytesPerSecond;
    this.#credit = BURST_SECONDS * bytesPerSecond;
    this.#creditAt = this.#clock.monotonic();
    this.#nextTurn = Number.NEGATIVE_INFINITY;
  }

  sent(bytes: number): void {
    if (this.#bytesPerSecond === 0) return;
    this.#earn();
    this.#credit = Math.max(this.#credit - bytes, -MAX_DEBT_SECONDS * this.#bytesPerSecond);
    this.#lastBytes = bytes;
  }

  /** Takes a turn for one request with history. Returns 0, or the milliseconds until there may be a turn. */
  takeTurn(): number {
    if (this.#bytesPerSecond === 0) return 0;
    const now = this.#earn();
    const waitMs = Math.max(this.#nextTurn - now, this.#paidAt(now) - now);
    // A fraction of a millisecond would be no wait for a timer.
    if (waitMs > 0) return Math.ceil(waitMs);
    this.#lastTurn = now;
    // The request of this turn is not counted yet. Several servers have turns, which must not all come at once.
    this.#nextTurn = now + (this.#lastBytes / this.#bytesPerSecond) * 1_000;
    return 0;
  }

  #paidAt(now: number): number {
    const paid = this.#credit > 0 ? now : now + ((1 - this.#credit) / this.#bytesPerSecond) * 1_000;
    return Math.min(paid, Math.max(now, this.#lastTurn + MAX_DEBT_SECONDS * 1_000));
  }

  #earn(): number {
    const now = this.#clock.monotonic();
    const earned = ((now - this.#creditAt) / 1_000) * this.#bytesPerSecond;
    this.#credit = Math.min(this.#credit + earned, BURST_SECONDS * this.#bytesPerSecond);
    this.#creditAt = now;
    return now;
  }
}
