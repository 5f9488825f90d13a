import type { Clock } from "./clock.ts";

/** Delays after failures in a row. */
export interface RetryPolicy {
  /** Delay after the first failure, milliseconds. Doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Shares of the delay at the smallest and at the largest random number, so that exporters do not retry in step. */
  readonly jitter?: readonly [atZero: number, atOne: number];
}

/** All policies of the exporter. */
export const RETRIES = {
  /** A batch for a receiver that accepts nothing. */
  delivery: { firstMs: 1_000, maxMs: 60_000, jitter: [0.5, 1] },
  /** One OTLP request. Another instance of the receiver may answer. */
  otlpRequest: { firstMs: 100, maxMs: Number.POSITIVE_INFINITY },
  /** One request to PRTG. */
  request: { firstMs: 500, maxMs: 10_000, jitter: [0, 1] },
  /** An unreachable server, or one without its core. */
  server: { firstMs: 5_000, maxMs: 60_000, jitter: [1, 0.9] },
  /** One slow or broken endpoint. */
  endpoint: { firstMs: 10_000, maxMs: 30_000, jitter: [1, 0.9] },
  /** An endpoint that the server lacks: a starting service may answer 404. */
  missingEndpoint: { firstMs: 60_000, maxMs: 60 * 60_000 },
  /** The series of one sensor. */
  series: { firstMs: 60_000, maxMs: 60 * 60_000 },
  /** Refused credentials: accounts get locked. */
  login: { firstMs: 30_000, maxMs: 15 * 60_000 },
} as const satisfies Record<string, RetryPolicy>;

/**
 * Milliseconds to wait after the n-th failure in a row.
 * @param failures From 1.
 * @param random From 0 to below 1. Needed for a policy with jitter.
 */
export function retryDelayMs({ firstMs, maxMs, jitter = [1, 1] }: RetryPolicy, failures: number, random = 0): number {
  const [atZero, atOne] = jitter;
  return Math.min(firstMs * 2 ** (failures - 1), maxMs) * (atZero + (atOne - atZero) * random);
}

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
