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
