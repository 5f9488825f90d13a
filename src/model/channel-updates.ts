import { type ChannelLimits, type ChannelRecord, LIMIT_NAMES } from "../prtg/records.ts";
import { CHANNEL_FACTS, type Channel } from "./channel.ts";
import type { Lookups } from "./lookups.ts";
import type { ClockReading } from "./update-context.ts";

/** By how much a measurement may be ahead of what is known of the server's clock. */
const MAX_AHEAD_MS = 60_000;

/** A value and its time, in milliseconds since the epoch by the server's clock. */
export interface Measurement {
  readonly value: number;
  readonly measuredAt: number;
}

/**
 * Takes over value and time of a record; the value is served until it is `staleAfterMs` old. A list that lags behind the
 * time series has nothing to say, while what the series gave is served. As all of these: returns which facts were told.
 */
export function takeValue(channel: Channel, record: ChannelRecord, staleAfterMs: number, now: ClockReading): number {
  const { value, measuredAt } = record;
  if (value === undefined || measuredAt === undefined) return withdrawValue(channel, now);
  if (isBehindSeries(channel, measuredAt, now)) return 0;
  measure(channel, { value, measuredAt }, staleAfterMs, now);
  return factsOfValue(channel, now);
}

export function withdrawValue(channel: Channel, now: ClockReading): number {
  channel.value = undefined;
  return factsOfValue(channel, now);
}

/** The limits that a record carries, which hold `until` (monotonic ms). */
export function takeLimits(channel: Channel, { limits }: ChannelRecord, until: number): number {
  if (limits === undefined) return 0;
  const before = channel.limits;
  channel.limits = isAnySet(limits) ? { values: limits, until } : undefined;
  if (before === undefined && channel.limits === undefined) return 0;
  return CHANNEL_FACTS.limits | CHANNEL_FACTS.comparison;
}

/** The lookup that a record names, which holds `until` (monotonic ms). `lookups`: undefined where the server does not tell. */
export function takeLookup(
  channel: Channel,
  { lookup }: ChannelRecord,
  lookups: Lookups | undefined,
  until: number,
): number {
  if (lookup === undefined || lookups === undefined) return 0;
  const before = channel.lookup;
  const definition = lookups.find(lookup);
  channel.lookup = definition && { definition, until };
  return before === undefined && definition === undefined ? 0 : CHANNEL_FACTS.state;
}

/** What a new value, or none, tells of a channel. Limits and lookups that were not confirmed in time are forgotten. */
export function factsOfValue(channel: Channel, { monotonic }: ClockReading): number {
  let facts: number = CHANNEL_FACTS.measurement;
  if (channel.limits !== undefined) {
    facts |= CHANNEL_FACTS.comparison;
    if (channel.limits.until <= monotonic) {
      channel.limits = undefined;
      facts |= CHANNEL_FACTS.limits;
    }
  }
  if (channel.lookup !== undefined) {
    facts |= CHANNEL_FACTS.state;
    if (channel.lookup.until <= monotonic) channel.lookup = undefined;
  }
  return facts;
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

function isBehindSeries({ seriesAt, valueUntil }: Channel, measuredAt: number, now: ClockReading): boolean {
  if (seriesAt === undefined || valueUntil <= now.monotonic) return false;
  // That of a clock that was ahead for a while says nothing any more.
  return seriesAt <= now.server + MAX_AHEAD_MS && measuredAt < seriesAt;
}

/** Values are served for another time from now (monotonic ms) on; one that is gone does not come back. */
export function changeStaleness(channel: Channel, staleAfterMs: number, now: number): void {
  channel.value = channel.valueAt(now);
  channel.valueUntil = channel.measuredMonotonic + staleAfterMs;
}

function isAnySet(limits: ChannelLimits): boolean {
  return LIMIT_NAMES.some((name) => limits[name] !== undefined);
}
