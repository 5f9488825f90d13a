import type { ChannelMapper, ChannelServing } from "../mapping/channel-mapper.ts";
import type { ChannelIdentity } from "../mapping/series-labels.ts";
import type { TreeNode } from "../model/tree.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { KnownLimits } from "./channel-limits.ts";
import type { KnownLookup } from "./channel-states.ts";

const VALUE = 0;
const VALUE_EXPIRES_AT = 1;
const MEASURED_AT = 2;
const MEASURED_MONOTONIC = 3;
const SERIES_AT = 4;
const WIDTH = 5;
const CHANNELS_PER_BLOCK = 1_024;

/** Where the numbers of a channel are. NaN stands for none. */
interface Row {
  readonly block: Float64Array;
  readonly at: number;
}

/**
 * The numbers of channels that change with each poll. As members of an object each would be an object of its own on
 * the heap: 80 bytes a channel, and a million of them for the collector of garbage to look at.
 */
export class ChannelNumbers {
  readonly #free: Row[] = [];
  #block = new Float64Array(0);
  #next = 0;

  take(): Row {
    const row = this.#free.pop() ?? this.#extend();
    row.block.fill(Number.NaN, row.at, row.at + WIDTH);
    return row;
  }

  /** The row will be another channel's. */
  release(row: Row): void {
    this.#free.push(row);
  }

  #extend(): Row {
    if (this.#next === this.#block.length) {
      this.#block = new Float64Array(CHANNELS_PER_BLOCK * WIDTH);
      this.#next = 0;
    }
    const row = { block: this.#block, at: this.#next };
    this.#next += WIDTH;
    return row;
  }
}

/** What is known of a channel between polls. */
export class Channel implements ChannelIdentity {
  readonly channelId: string;
  readonly #block: Float64Array;
  readonly #at: number;
  /** Of all channels of a server. */
  readonly #labeller: ChannelLabeller;
  sensor: TreeNode;
  name: string;
  unit: string;
  serving: ChannelServing;
  /** Undefined for the many channels that have none. */
  limits: KnownLimits | undefined = undefined;
  /** Undefined for the many channels that have none. */
  lookup: KnownLookup | undefined = undefined;
  /** Of its value in the store, kept here because a lookup per channel and poll costs; undefined before the first. */
  slot: number | undefined = undefined;
  /** The same for the series that a rule gives it. */
  mappedTable: SeriesTable | undefined = undefined;
  mappedSlot: number | undefined = undefined;
  /** Of its info. */
  infoSlot: number | undefined = undefined;
  /** Complete polls in a row that lacked it. */
  missed = 0;
  /** Number of the last poll that showed it. */
  seenIn = 0;

  constructor(
    labeller: ChannelLabeller,
    row: Row,
    sensor: TreeNode,
    { channelId, name, unit }: ChannelIdentity,
    serving: ChannelServing,
  ) {
    this.#labeller = labeller;
    this.#block = row.block;
    this.#at = row.at;
    this.sensor = sensor;
    this.channelId = channelId;
    this.name = name;
    this.unit = unit;
    this.serving = serving;
  }

  get sensorId(): string {
    return this.sensor.id;
  }

  get row(): Row {
    return { block: this.#block, at: this.#at };
  }

  /** Labels of `prtg_channel_value`, also where it is not served as that. Built by each call: the store has them. */
  get labels(): readonly string[] {
    const { server, mapper } = this.#labeller;
    return mapper.labels.channel(server, this.sensor, this);
  }

  /** The value that is served, in the display unit, until `valueExpiresAt`; undefined while none is. */
  get value(): number | undefined {
    return this.#get(VALUE);
  }

  set value(value: number | undefined) {
    this.#set(VALUE, value);
  }

  /** Monotonic; in the past when no value is served. */
  get valueExpiresAt(): number {
    return this.#get(VALUE_EXPIRES_AT) ?? 0;
  }

  set valueExpiresAt(at: number) {
    this.#set(VALUE_EXPIRES_AT, at);
  }

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

  #get(member: number): number | undefined {
    const value = this.#block[this.#at + member] ?? Number.NaN;
    return Number.isNaN(value) ? undefined : value;
  }

  #set(member: number, value: number | undefined): void {
    this.#block[this.#at + member] = value ?? Number.NaN;
  }
}

/** Where channels get their labels from. */
export interface ChannelLabeller {
  /** Value of the label `server`. */
  readonly server: string;
  readonly mapper: ChannelMapper;
}
