import { type ChannelLimits, type ChannelRecord, LIMIT_NAMES, type LookupDefinition } from "../prtg/records.ts";
import type { Lookups } from "./lookups.ts";
import type { NodeState } from "./node-state.ts";
import { NumberRows, numberAt, startOfRow } from "./rows.ts";
import type { ClockReading } from "./update-context.ts";

/** What a change reports about a channel, as bits. The facts may be equal to before. */
export const CHANNEL_FACTS = {
  identity: 1,
  listed: 2,
  measurement: 4,
  limits: 8,
  comparison: 16,
  state: 32,
} as const;

export const ALL_CHANNEL_FACTS = 63;

const VALUE = 0;
const VALUE_EXPIRES_AT = 1;
const MEASURED_AT = 2;
const MEASURED_MONOTONIC = 3;
const SERIES_AT = 4;
const PRESENCE_EXPIRES_AT = 5;
const WIDTH = 6;

/** The numbers of channels, which change with each poll. */
export const channelNumbers = (): NumberRows => new NumberRows(WIDTH);

export interface KnownLimits {
  readonly values: ChannelLimits;
  readonly expiresAt: number;
}

export interface KnownLookup {
  readonly definition: LookupDefinition;
  readonly expiresAt: number;
}

/** The state of a channel between polls. `...ExpiresAt` is monotonic ms. */
export class Channel {
  readonly channelId: string;
  /** Index into flat arrays. */
  readonly row: number;
  readonly sensor: NodeState;
  readonly #block: Float64Array;
  name: string;
  /** Empty if unknown. */
  unit: string;
  limits: KnownLimits | undefined = undefined;
  lookup: KnownLookup | undefined = undefined;
  /** Successive complete polls that lack it. */
  missed = 0;
  /** Number of the last poll with this channel. */
  seenIn = 0;

  constructor(
    numbers: NumberRows,
    sensor: NodeState,
    { channelId, name, unit }: Pick<Channel, "channelId" | "name" | "unit">,
  ) {
    const { row, block } = numbers.take();
    this.row = row;
    this.#block = block;
    this.sensor = sensor;
    this.channelId = channelId;
    this.name = name;
    this.unit = unit;
  }

  /** In the display unit. */
  get value(): number | undefined {
    return this.#get(VALUE);
  }

  set value(value: number | undefined) {
    this.#set(VALUE, value);
  }

  get valueExpiresAt(): number {
    return this.#get(VALUE_EXPIRES_AT) ?? 0;
  }

  set valueExpiresAt(at: number) {
    this.#set(VALUE_EXPIRES_AT, at);
  }

  /** Milliseconds since the epoch by the server's clock. */
  get measuredAt(): number | undefined {
    return this.#get(MEASURED_AT);
  }

  set measuredAt(at: number | undefined) {
    this.#set(MEASURED_AT, at);
  }

  /** `measuredAt` on the monotonic clock, never in the future. */
  get measuredMonotonic(): number {
    return this.#get(MEASURED_MONOTONIC) ?? 0;
  }

  set measuredMonotonic(at: number) {
    this.#set(MEASURED_MONOTONIC, at);
  }

  /** Time of the last value from a time series. Lists may be older. */
  get seriesAt(): number | undefined {
    return this.#get(SERIES_AT);
  }

  set seriesAt(at: number | undefined) {
    this.#set(SERIES_AT, at);
  }

  get presenceExpiresAt(): number {
    return this.#get(PRESENCE_EXPIRES_AT) ?? 0;
  }

  set presenceExpiresAt(at: number) {
    this.#set(PRESENCE_EXPIRES_AT, at);
  }

  valueAt(now: number): number | undefined {
    return this.valueExpiresAt > now ? this.value : undefined;
  }

  #get(member: number): number | undefined {
    return numberAt(this.#block, startOfRow(this.row, WIDTH) + member);
  }

  #set(member: number, value: number | undefined): void {
    this.#block[startOfRow(this.row, WIDTH) + member] = value ?? Number.NaN;
  }
}

/** Tolerated error of the server's clock. */
const MAX_AHEAD_MS = 60_000;

/** Milliseconds since the epoch by the server's clock. */
export interface Measurement {
  readonly value: number;
  readonly measuredAt: number;
}

/** Ignores a list that is older than the time series. Returns the facts (bits) that changed, as the functions below. */
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
