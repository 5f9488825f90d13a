import type { Channel } from "./channel.ts";
import type { ClockReading } from "./update-context.ts";

/** By how much a measurement may be ahead of what is known of the server's clock. */
const MAX_AHEAD_MS = 60_000;

/** A value and its time, in milliseconds since the epoch by the server's clock. */
export interface Measurement {
  readonly value: number;
  readonly measuredAt: number;
}

/** The channel's last measurement is this one; its value is served until it is `staleAfterMs` old. */
export function measure(channel: Channel, { value, measuredAt }: Measurement, staleAfterMs: number, now: ClockReading) {
  const age = now.server - measuredAt;
  const isNew = channel.measuredAt !== undefined && measuredAt !== channel.measuredAt;
  // Whatever the server's clock says: what is new since the last list was measured since then.
  if (isNew && now.isServerInDoubt) channel.measuredMonotonic = now.monotonic;
  else if (age >= 0) channel.measuredMonotonic = now.monotonic - age;
  // A time in the server's future counts from when it first came: it must not keep a dead channel alive.
  else if (measuredAt !== channel.measuredAt) channel.measuredMonotonic = now.monotonic;
  channel.measuredAt = measuredAt;
  channel.valueUntil = channel.measuredMonotonic + staleAfterMs;
  channel.value = channel.valueUntil > now.monotonic ? value : undefined;
}

/** A list that lags behind the time series has nothing to say, while what the series gave is served. */
export function isBehindSeries({ seriesAt, valueUntil }: Channel, measuredAt: number, now: ClockReading): boolean {
  if (seriesAt === undefined || valueUntil <= now.monotonic) return false;
  // That of a clock that was ahead for a while says nothing any more.
  return seriesAt <= now.server + MAX_AHEAD_MS && measuredAt < seriesAt;
}

/** Values are served for another time from now (monotonic ms) on; one that is gone does not come back. */
export function changeStaleness(channel: Channel, staleAfterMs: number, now: number): void {
  const value = channel.valueAt(now);
  channel.valueUntil = channel.measuredMonotonic + staleAfterMs;
  channel.value = channel.valueUntil > now ? value : undefined;
}
