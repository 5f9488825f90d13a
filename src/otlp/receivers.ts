import type { Clock } from "../lib/clock.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { type Pause, Pauses } from "../lib/pauses.ts";

/** Nothing was sent, because the receiver asked for a pause. */
export class ReceiverHeld extends Error {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super("the receiver asked for a pause that is not over yet");
    this.retryAfterMs = retryAfterMs;
  }
}

export interface GzipSupport {
  refused: boolean;
  /** Monotonic milliseconds. Before it a 400 is about the data. Infinity after a success: applies to one 400. */
  trustEndsAt: number;
}

/** State of one receiver that all connections share: metrics and logs, before and after a reload. */
export class Receiver {
  readonly rate: ByteRate;
  readonly #gzip = new Map<string, GzipSupport>();
  readonly #pause: Pause;

  constructor(clock: Clock, pause: Pause) {
    this.rate = new ByteRate(clock);
    this.#pause = pause;
  }

  gzipAt(url: string): GzipSupport {
    return mapEntry(this.#gzip, url, () => ({ refused: false, trustEndsAt: Number.NEGATIVE_INFINITY }));
  }

  hold(ms: number): void {
    this.#pause.hold(ms);
  }

  /** @throws ReceiverHeld during a pause */
  assertOpen(): void {
    const heldForMs = this.#pause.heldForMs();
    if (heldForMs > 0) throw new ReceiverHeld(heldForMs);
  }
}

/** Receivers by origin. A reload does not end their pauses. */
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
    return mapEntry(this.#known, origin, () => new Receiver(this.#clock, this.#pauses.of(origin)));
  }
}

/** History may use this much credit at once. */
const BURST_SECONDS = 1;
/** Delays history by at most this time. */
const MAX_DEBT_SECONDS = 10;

/**
 * Spreads history over time. All sent bytes count, but only history waits. If other data exceeds the rate, history
 * still gets a turn every `MAX_DEBT_SECONDS`.
 */
export class ByteRate {
  readonly #clock: Clock;
  #bytesPerSecond = 0;
  #credit = 0;
  #creditAt: number;
  #lastBytes = 0;
  #nextTurn = Number.NEGATIVE_INFINITY;
  #lastTurn = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#creditAt = clock.monotonic();
  }

  limit(bytesPerSecond: number): void {
    if (bytesPerSecond === this.#bytesPerSecond) return;
    this.#bytesPerSecond = bytesPerSecond;
    this.#credit = BURST_SECONDS * bytesPerSecond;
    this.#creditAt = this.#clock.monotonic();
    this.#nextTurn = Number.NEGATIVE_INFINITY;
  }

  count(bytes: number): void {
    if (this.#bytesPerSecond === 0) return;
    this.#earn();
    this.#credit = Math.max(this.#credit - bytes, -MAX_DEBT_SECONDS * this.#bytesPerSecond);
    this.#lastBytes = bytes;
  }

  /** Returns 0 for a turn for one request with history, or the milliseconds to wait. */
  takeTurn(): number {
    if (this.#bytesPerSecond === 0) return 0;
    const now = this.#earn();
    const waitMs = Math.max(this.#nextTurn - now, this.#paidAt(now) - now);
    // Timers ignore fractions of a millisecond.
    if (waitMs > 0) return Math.ceil(waitMs);
    this.#lastTurn = now;
    // The bytes of this request are not counted yet, and several servers share the rate.
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
