const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** A receiver may ask for a pause, not for silence until the next restart. */
const MAX_REQUESTED_PAUSE_MS = 15 * 60_000;

/** What failed at a receiver. */
export interface FailedDelivery {
  /** Attempts before this one that failed without a success between. */
  readonly failuresBefore: number;
  /** Undefined where the receiver asked for no pause. */
  readonly retryAfterMs: number | undefined;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/**
 * How long to wait before a delivery is tried again, milliseconds; `askedMs` of it is what the receiver asked for, within
 * bounds. Jitter in both cases: exporters must not come back in step.
 */
export function receiverPause({ failuresBefore, retryAfterMs, random }: FailedDelivery): {
  readonly ms: number;
  readonly askedMs: number | undefined;
} {
  if (retryAfterMs === undefined) {
    const bound = Math.min(FIRST_BACKOFF_MS * 2 ** failuresBefore, MAX_BACKOFF_MS);
    return { ms: bound * (0.5 + 0.5 * random()), askedMs: undefined };
  }
  const askedMs = Math.min(retryAfterMs, MAX_REQUESTED_PAUSE_MS);
  return { ms: askedMs + FIRST_BACKOFF_MS * random(), askedMs };
}
