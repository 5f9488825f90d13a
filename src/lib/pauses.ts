import type { Clock } from "./clock.ts";

/** A pause that a peer asked for, shared by all requests to it. */
export interface Pause {
  /** Never shortens the pause. */
  hold(ms: number): void;
  /** 0: no pause. */
  heldForMs(): number;
}

/** The pauses of all peers, by a key such as `host:port`. */
export class Pauses {
  readonly #clock: Clock;
  /** Drops ended pauses: peers change with the configuration. */
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
