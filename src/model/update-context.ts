import type { TimeSlices } from "../lib/yielding.ts";

/** Both clocks at one moment. The monotonic one never jumps. `server`: milliseconds since the epoch. */
export interface ClockReading {
  readonly monotonic: number;
  readonly server: number;
  /** The offset of the server's clock may have changed. */
  readonly isServerInDoubt: boolean;
}

export interface UpdateContext {
  readonly now: ClockReading;
  readonly expiry: ExpiryPolicy;
  readonly slices: TimeSlices;
}

/** Prevents flicker with short schedules. */
const MINIMUM_MS = 5 * 60_000;
const STALE_AFTER_INTERVALS = 3;
/** The default of PRTG. */
const ASSUMED_INTERVAL_SECONDS = 60;

/** Expiry (monotonic ms) of facts that a poll confirms now. */
export interface ExpiryPolicy {
  state(): number;
  property(): number;
  channel(): number;
  limit(): number;
  version(): number;
  detail(): number;
}

export function confirmationWindow(threePeriodsMs: number): number {
  return Math.max(threePeriodsMs, MINIMUM_MS);
}

export function staleAfter(intervalSeconds: number | undefined, configuredMs: number | undefined): number {
  if (configuredMs !== undefined) return configuredMs;
  return Math.max(STALE_AFTER_INTERVALS * (intervalSeconds ?? ASSUMED_INTERVAL_SECONDS) * 1000, MINIMUM_MS);
}
