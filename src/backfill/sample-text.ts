/**
 * A time as OpenMetrics writes it, in seconds. Prometheus multiplies by 1000 and cuts off, which would take a millisecond
 * from half of all fractions: a tenth of a millisecond more prevents that, and is lost in the cut.
 * @param at Milliseconds since the epoch.
 */
export function formatTimestamp(at: number): string {
  if (at % 1000 === 0) return String(at / 1000);
  const seconds = Math.floor(at / 1000);
  return `${seconds}.${String(at - seconds * 1000).padStart(3, "0")}1`;
}
