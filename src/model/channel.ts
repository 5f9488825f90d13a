import type { ChannelLimits, LookupDefinition } from "../prtg/records.ts";
import type { NodeState } from "./node-state.ts";
import { NumberRows, numberAt, startOfRow } from "./number-rows.ts";

/** Facts of a channel that a change delivers, even where they are what they were; as bits. */
export const CHANNEL_FACTS = {
  /** Name, unit, and the sensor's node. */
  identity: 1,
  /** A list showed it. */
  listed: 2,
  /** Value and time. */
  measurement: 4,
  limits: 8,
  /** The value against the limits. */
  comparison: 16,
  /** The value's text in the lookup. */
  state: 32,
} as const;

/** Everything about a channel. */
export const ALL_CHANNEL_FACTS = 63;

const VALUE = 0;
const VALUE_UNTIL = 1;
const MEASURED_AT = 2;
const MEASURED_MONOTONIC = 3;
const SERIES_AT = 4;
const LISTED_UNTIL = 5;
const WIDTH = 6;

/** The numbers of channels that change with each poll. */
export class ChannelNumbers extends NumberRows {
  constructor() {
    super(WIDTH);
  }
}

/** The limits that are set on a channel. */
export interface KnownLimits {
  readonly values: ChannelLimits;
  /** Monotonic ms. */
  readonly until: number;
}

/** The lookup that a channel has. */
export interface KnownLookup {
  readonly definition: LookupDefinition;
  /** Monotonic ms. */
  readonly until: number;
}

/** What is known of a channel between polls. `...Until` is monotonic ms. */
export class Channel {
  readonly channelId: string;
  /** Unique in the server: the index into flat arrays. */
  readonly row: number;
  readonly sensor: NodeState;
  readonly #block: Float64Array;
  name: string;
  /** Empty where unknown. */
  unit: string;
  /** Undefined for the many channels that have none. */
  limits: KnownLimits | undefined = undefined;
  /** Undefined for the many channels that have none. */
  lookup: KnownLookup | undefined = undefined;
  /** Complete polls in a row that lacked it. */
  missed = 0;
  /** Number of the last poll that showed it. */
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

  /** In the display unit, until `valueUntil`; undefined while there is none to serve. */
  get value(): number | undefined {
    return this.#get(VALUE);
  }

  set value(value: number | undefined) {
    this.#set(VALUE, value);
  }

  /** In the past when no value is to be served. */
  get valueUntil(): number {
    return this.#get(VALUE_UNTIL) ?? 0;
  }

  set valueUntil(at: number) {
    this.#set(VALUE_UNTIL, at);
  }

  /** Milliseconds since the epoch, by the server's clock; undefined when never measured. */
  get measuredAt(): number | undefined {
    return this.#get(MEASURED_AT);
  }

  set measuredAt(at: number | undefined) {
    this.#set(MEASURED_AT, at);
  }

  /** `measuredAt` on the monotonic clock, never in its future. */
  get measuredMonotonic(): number {
    return this.#get(MEASURED_MONOTONIC) ?? 0;
  }

  set measuredMonotonic(at: number) {
    this.#set(MEASURED_MONOTONIC, at);
  }

  /** Time of the value that a time series gave; lists may lag behind it. Undefined when none did. */
  get seriesAt(): number | undefined {
    return this.#get(SERIES_AT);
  }

  set seriesAt(at: number | undefined) {
    this.#set(SERIES_AT, at);
  }

  /** A list showed the channel. */
  get listedUntil(): number {
    return this.#get(LISTED_UNTIL) ?? 0;
  }

  set listedUntil(at: number) {
    this.#set(LISTED_UNTIL, at);
  }

  /** The value at a time (monotonic ms); undefined where there is none, or it is too old. */
  valueAt(now: number): number | undefined {
    return this.valueUntil > now ? this.value : undefined;
  }

  #get(member: number): number | undefined {
    return numberAt(this.#block, startOfRow(this.row, WIDTH) + member);
  }

  #set(member: number, value: number | undefined): void {
    this.#block[startOfRow(this.row, WIDTH) + member] = value ?? Number.NaN;
  }
}
