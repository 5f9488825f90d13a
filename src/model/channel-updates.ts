import { type ChannelLimits, type ChannelRecord, LIMIT_NAMES } from "../prtg/records.ts";
import { CHANNEL_FACTS, type Channel } from "./channel.ts";
import type { Lookups } from "./lookups.ts";
import type { ClockReading } from "./update-context.ts";

/** Tolerated error of the server's clock. */
const MAX_AHEAD_MS = 60_000;

/** Milliseconds since the epoch by the server's clock. */
export interface Measurement {
  readonly value: number;
  readonly measuredAt: number;
}

/**
 * Ignores a list that is older than the time series. Returns the facts (bits) that changed, as the functions below.
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

/** `expiresAt`: monotonic ms. */
export function takeLimits(channel: Channel, { limits }: ChannelRecord, expiresAt: number): number {
  if (limits === undefined) return 0;
  const before = channel.limits;
  channel.limits = isAnySet(limits) ? { values: limits, expiresAt } : undefined;
  if (before === undefined && channel.limits === undefined) return 0;
  return CHANNEL_FACTS.limits | CHANNEL_FACTS.comparison;
}

/** `lookups`: `undefined` if the server has no lookup endpoint. `expiresAt`: monotonic ms. */
export function takeLookup(
  channel: Channel,
  { lookup }: ChannelRecord,
  lookups: Lookups | undefined,
  expiresAt: number,
): number {
  if (lookup === undefined || lookups === undefined) return 0;
  const before = channel.lookup;
  const definition = lookups.find(lookup);
  channel.lookup = definition && { definition, expiresAt };
  return before === undefined && definition === undefined ? 0 : CHANNEL_FACTS.state;
}

/** Also forgets limits and lookups that expired. */
export function factsOfValue(channel: Channel, { monotonic }: ClockReading): number {
  let facts: number = CHANNEL_FACTS.measurement;
  if (channel.limits !== undefined) {
    facts |= CHANNEL_FACTS.comparison;
    if (channel.limits.expiresAt <= monotonic) {
      channel.limits = undefined;
      facts |= CHANNEL_FACTS.limits;
    }
  }
  if (channel.lookup !== undefined) {
    facts |= CHANNEL_FACTS.state;
    if (channel.lookup.expiresAt <= monotonic) channel.lookup = undefined;
  }
  return facts;
}

export function measure(channel: Channel, { value, measuredAt }: Measurement, staleAfterMs: number, now: ClockReading) {
  const age = now.server - measuredAt;
  const isNew = channel.measuredAt !== undefined && measuredAt !== channel.measuredAt;
  // The server's clock is unreliable, but the measurement is new since the last list.
  if (isNew && now.isServerInDoubt) channel.measuredMonotonic = now.monotonic;
  else if (age >= 0) channel.measuredMonotonic = now.monotonic - age;
  // A time in the future counts from its first appearance, so it cannot keep a dead channel alive.
  else if (measuredAt !== channel.measuredAt) channel.measuredMonotonic = now.monotonic;
  channel.measuredAt = measuredAt;
  channel.valueExpiresAt = channel.measuredMonotonic + staleAfterMs;
  channel.value = channel.valueExpiresAt > now.monotonic ? value : undefined;
}

function isBehindSeries({ seriesAt, valueExpiresAt }: Channel, measuredAt: number, now: ClockReading): boolean {
  if (seriesAt === undefined || valueExpiresAt <= now.monotonic) return false;
  // The server's clock may have been ahead for a while.
  return seriesAt <= now.server + MAX_AHEAD_MS && measuredAt < seriesAt;
}

/** A withdrawn value does not come back. */
export function changeStaleness(channel: Channel, staleAfterMs: number, now: number): void {
  channel.value = channel.valueAt(now);
  channel.valueExpiresAt = channel.measuredMonotonic + staleAfterMs;
}

function isAnySet(limits: ChannelLimits): boolean {
  return LIMIT_NAMES.some((name) => limits[name] !== undefined);
}
