/** Never shorter than this, so that quick schedules do not make series flicker. */
const MINIMUM_MS = 5 * 60_000;
const STALE_AFTER_INTERVALS = 3;
/** Assumed where the server does not tell a sensor's scanning interval: the product's own default. */
const ASSUMED_INTERVAL_SECONDS = 60;

/** Until when (monotonic ms) what a poll confirmed now may be served if no later poll confirms it. */
export interface ExpiryPolicy {
  /** Statuses and counts per status. */
  state(): number;
  /** Infos, intervals and object counts. */
  property(): number;
  /** Limits that came with the values. */
  channel(): number;
  /** Limits from their own collector. */
  limit(): number;
  version(): number;
  /** License, connections of probes, auto-discoveries, primary channels. */
  detail(): number;
}

/** Three periods of the collector, at least five minutes. */
export function confirmationWindow(threePeriodsMs: number): number {
  return Math.max(threePeriodsMs, MINIMUM_MS);
}

/** Age in milliseconds at which the last measurement of a sensor's channels is withdrawn. */
export function staleAfter(intervalSeconds: number | undefined, configuredMs: number | undefined): number {
  if (configuredMs !== undefined) return configuredMs;
  return Math.max(STALE_AFTER_INTERVALS * (intervalSeconds ?? ASSUMED_INTERVAL_SECONDS) * 1000, MINIMUM_MS);
}
