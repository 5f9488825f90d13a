import type { Clock } from "../lib/clock.ts";
import { type Pause, Pauses } from "../lib/pauses.ts";
import { ByteRate } from "./byte-rate.ts";

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
  /** The last answer to gzip was a success, so one 400 is about the data. The next may come from another receiver. */
  trusted: boolean;
  /** Monotonic time, milliseconds. Until then every 400 is about the data. */
  trustedUntil: number;
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
    const known = this.#gzip.get(url) ?? { refused: false, trusted: false, trustedUntil: Number.NEGATIVE_INFINITY };
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
