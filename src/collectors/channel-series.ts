import type { ChannelLimits, ChannelRecord } from "../api/records.ts";
import { channelLabels } from "../mapping/labels.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import type { TreeNode } from "../tree/model.ts";
import { ChannelLimitSeries, type LimitedChannel } from "./channel-limits.ts";

/** What is known of a channel between polls. */
export interface Channel extends LimitedChannel {
  name: string;
  unit: string;
  labels: readonly string[];
  /** Of its value in the store, kept here because a lookup per channel and poll costs; undefined before the first. */
  slot: number | undefined;
  /** Complete polls in a row that lacked it. */
  missed: number;
  /** Number of the last poll that showed it. */
  seenIn: number;
  measuredAt: number | undefined;
  /** Time of the value that a time series gave; lists may lag behind it. Undefined when none did. */
  seriesAt: number | undefined;
  /** `measuredAt` on the monotonic clock, never in its future. */
  measuredMonotonic: number;
  /** Monotonic; in the past when no value is served. */
  valueExpiresAt: number;
}

/** The clocks at one moment: ours, which never jumps, and the server's, in milliseconds since the epoch. */
export interface Moment {
  readonly monotonic: number;
  readonly server: number;
}

/** Values and limits of one server's channels. Call inside a commit. */
export class ChannelSeries {
  readonly #server: string;
  readonly #values: SeriesTable;
  readonly #limits: ChannelLimitSeries;

  constructor(server: string, store: Store) {
    this.#server = server;
    this.#values = store.table(TREE_FAMILIES.channelValue);
    this.#limits = new ChannelLimitSeries(server, store);
  }

  /** A channel without series yet. */
  create(sensor: TreeNode, record: ChannelRecord): Channel {
    const { channelId, name, unit } = record;
    const sensorId = sensor.id;
    return {
      sensorId,
      channelId,
      name,
      unit,
      labels: channelLabels(this.#server, sensor, record),
      slot: undefined,
      limits: undefined,
      missed: 0,
      seenIn: 0,
      measuredAt: undefined,
      seriesAt: undefined,
      measuredMonotonic: 0,
      valueExpiresAt: 0,
    };
  }

  /** Takes over name and unit from the record. */
  rename(channel: Channel, sensor: TreeNode, record: ChannelRecord): void {
    channel.name = record.name;
    channel.unit = record.unit;
    this.relabel(channel, sensor);
  }

  relabel(channel: Channel, sensor: TreeNode): void {
    const labels = channelLabels(this.#server, sensor, channel);
    // Most of what replaces a node (tags, interval) is in no label.
    if (labels.every((label, index) => label === channel.labels[index])) return;
    channel.labels = labels;
    if (channel.slot !== undefined) this.#values.relabel(channel.slot, labels);
    this.#limits.relabel(channel);
  }

  /** Serves the record's value until it is `staleAfterMs` old; none when it was never measured. */
  showValue(channel: Channel, record: ChannelRecord, staleAfterMs: number, now: Moment): void {
    const { value, measuredAt } = record;
    if (value === undefined || measuredAt === undefined) this.withdrawValue(channel, now);
    // A list that lags behind the series has nothing to say, while what the series gave is served.
    else if (measuredAt >= (channel.seriesAt ?? measuredAt) || channel.valueExpiresAt <= now.monotonic) {
      this.#show(channel, value, measuredAt, staleAfterMs, now);
    }
  }

  /** Serves a value of a time series. */
  showFreshest(channel: Channel, value: number, measuredAt: number, staleAfterMs: number, now: Moment): void {
    channel.seriesAt = measuredAt;
    this.#show(channel, value, measuredAt, staleAfterMs, now);
  }

  #show(channel: Channel, value: number, measuredAt: number, staleAfterMs: number, now: Moment): void {
    const age = now.server - measuredAt;
    if (age >= 0) channel.measuredMonotonic = now.monotonic - age;
    // A time in the server's future counts from when it first came: it must not keep a dead channel alive.
    else if (measuredAt !== channel.measuredAt) channel.measuredMonotonic = now.monotonic;
    channel.measuredAt = measuredAt;
    channel.valueExpiresAt = channel.measuredMonotonic + staleAfterMs;
    if (channel.valueExpiresAt <= now.monotonic) {
      this.withdrawValue(channel, now);
      return;
    }
    channel.slot ??= this.#values.add(channel.labels);
    this.#values.set(channel.slot, value, channel.valueExpiresAt);
    this.#limits.compare(channel, value, channel.valueExpiresAt, now.monotonic);
  }

  withdrawValue(channel: Channel, now: Moment): void {
    if (channel.slot !== undefined) this.#values.withdraw(channel.slot);
    this.#limits.compare(channel, undefined, 0, now.monotonic);
  }

  /** The limits of the channel, as of now; compares the value that is served. */
  showLimits(channel: Channel, limits: ChannelLimits, expiresAt: number, now: Moment): void {
    this.#limits.show(channel, limits, expiresAt);
    const { slot, valueExpiresAt } = channel;
    const isServed = slot !== undefined && this.#values.isPresent(slot) && valueExpiresAt > now.monotonic;
    this.#limits.compare(channel, isServed ? this.#values.value(slot) : undefined, valueExpiresAt, now.monotonic);
  }

  remove(channel: Channel): void {
    if (channel.slot !== undefined) this.#values.remove(channel.slot);
    this.#limits.remove(channel);
  }
}
