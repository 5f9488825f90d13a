import type { ChannelLimits, LookupDefinition } from "../prtg/records.ts";
import type { NodeState } from "./node-state.ts";
import { NumberRows, numberAt, startOfRow } from "./rows.ts";

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
export class ChannelNumbers extends NumberRows {
  constructor() {
    super(WIDTH);
  }
}

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
    numbers: ChannelNumbers,
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
