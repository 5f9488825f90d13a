import type { Clock } from "./clock.ts";

/** A pause that a peer asked for. Everything that is sent to the peer shares it. */
export interface Pause {
  /** Extends the pause. It never becomes shorter. */
  hold(ms: number): void;
  /** Milliseconds until the pause is over; 0: there is none. */
  heldForMs(): number;
}

/** The pauses of all peers, by a key such as `host:port`. Uses the monotonic clock. */
export class Pauses {
  readonly #clock: Clock;
  /** Only pauses that may not be over yet: peers come and go with the configuration. */
  readonly #ends = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(key: string): Pause {
    return {
      hold: (ms) => this.#hold(key, ms),
      heldForMs: () => Math.max(0, (this.#ends.get(key) ?? 0) - this.#clock.monotonic()),
    };
  }

  #hold(key: string, ms: number): void {
    if (ms <= 0) return;
    const now = this.#clock.monotonic();
    for (const [each, end] of this.#ends) if (end <= now) this.#ends.delete(each);
    this.#ends.set(key, Math.max(now + ms, this.#ends.get(key) ?? 0));
  }
}
