import type { ChannelLimits, ChannelRecord, LookupDefinition } from "../api/records.ts";
import type { ChannelMapper, ChannelServing, MappingOutcome } from "../mapping/channel-mapper.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { type Conversion, convert, UNCHANGED } from "../mapping/units/conversion.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import type { TreeNode } from "../tree/model.ts";
import { ChannelLimitSeries, type LimitedChannel } from "./channel-limits.ts";
import { ChannelStateSeries, type StatedChannel } from "./channel-states.ts";

/** What is known of a channel between polls. */
export interface Channel extends LimitedChannel, StatedChannel {
  name: string;
  unit: string;
  /** Labels of `prtg_channel_value`, also where it is not served as that. */
  labels: readonly string[];
  serving: ChannelServing;
  /** Of `prtg_channel_info`; undefined while it is not served. */
  infoLabels: readonly string[] | undefined;
  /** Of its value in the store, kept here because a lookup per channel and poll costs; undefined before the first. */
  slot: number | undefined;
  /** The same for the series that a rule gives it. */
  mappedTable: SeriesTable | undefined;
  mappedSlot: number | undefined;
  /** The value that is served, in the display unit, until `valueExpiresAt`; undefined while none is. */
  value: number | undefined;
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

export interface ChannelSeriesOptions {
  readonly server: string;
  readonly store: Store;
  readonly mapper: ChannelMapper;
  /** Whether `prtg_channel_info` is served. */
  readonly info: boolean;
}

/** Values, limits and states of one server's channels. Call inside a commit. */
export class ChannelSeries {
  readonly #options: ChannelSeriesOptions;
  readonly #values: SeriesTable;
  readonly #infos: KeyedSeries;
  readonly #limits: ChannelLimitSeries;
  readonly #states: ChannelStateSeries;
  readonly #outcomes = new Map<MappingOutcome, number>();

  constructor(options: ChannelSeriesOptions) {
    const { server, store } = options;
    this.#options = options;
    this.#values = store.table(TREE_FAMILIES.channelValue);
    this.#infos = new KeyedSeries(store.table(TREE_FAMILIES.channelInfo));
    this.#limits = new ChannelLimitSeries(server, store);
    this.#states = new ChannelStateSeries(store);
  }

  /** Channels of which rules made this. */
  countOf(outcome: MappingOutcome): number {
    return this.#outcomes.get(outcome) ?? 0;
  }

  /** A channel without series yet. */
  create(sensor: TreeNode, record: ChannelRecord): Channel {
    const { server, mapper } = this.#options;
    const { channelId, name, unit } = record;
    const serving = mapper.serve(server, sensor, record);
    this.#count(serving, 1);
    return {
      sensorId: sensor.id,
      channelId,
      name,
      unit,
      labels: mapper.labels.channel(server, sensor, record),
      serving,
      infoLabels: undefined,
      slot: undefined,
      mappedTable: this.#mappedTable(serving),
      mappedSlot: undefined,
      value: undefined,
      limits: undefined,
      lookup: undefined,
      missed: 0,
      seenIn: 0,
      measuredAt: undefined,
      seriesAt: undefined,
      measuredMonotonic: 0,
      valueExpiresAt: 0,
    };
  }

  /** Takes over name and unit from the record. */
  rename(channel: Channel, sensor: TreeNode, record: ChannelRecord, now: Moment): void {
    channel.name = record.name;
    channel.unit = record.unit;
    this.relabel(channel, sensor, now);
  }

  /** The sensor's node was replaced, or the channel's name or unit. */
  relabel(channel: Channel, sensor: TreeNode, now: Moment): void {
    const { server, mapper } = this.#options;
    const labels = mapper.labels.channel(server, sensor, channel);
    const serving = mapper.serve(server, sensor, channel);
    const isRelabelled = !sameTexts(labels, channel.labels);
    // Most of what replaces a node (priority, interval) is in no label and in no rule.
    if (isRelabelled || !sameServing(serving, channel.serving)) {
      channel.labels = labels;
      this.#serve(channel, serving, now);
    }
    if (this.#options.info) this.#relabelInfo(channel, sensor);
  }

  /** Says that the channel exists, until `expiresAt` (monotonic ms). */
  showInfo(channel: Channel, sensor: TreeNode, expiresAt: number): void {
    if (!this.#options.info || channel.serving.outcome === "dropped") return;
    channel.infoLabels ??= this.#infoLabels(channel, sensor);
    this.#infos.set(keyOf(channel), channel.infoLabels, 1, expiresAt);
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

  withdrawValue(channel: Channel, now: Moment): void {
    channel.value = undefined;
    if (channel.slot !== undefined) this.#values.withdraw(channel.slot);
    if (channel.mappedSlot !== undefined) channel.mappedTable?.withdraw(channel.mappedSlot);
    this.#limits.compare(channel, undefined, 0, now.monotonic);
    this.#states.show(channel, undefined, 0, now.monotonic);
  }

  /** The limits of the channel, as of now; compares the value that is served. */
  showLimits(channel: Channel, limits: ChannelLimits, expiresAt: number, now: Moment): void {
    this.#limits.show(channel, limits, expiresAt);
    this.#limits.compare(channel, servedValue(channel, now), channel.valueExpiresAt, now.monotonic);
  }

  /** The lookup of the channel, or none, as of now; shows the text of the value that is served. */
  showState(channel: Channel, lookup: LookupDefinition | undefined, expiresAt: number, now: Moment): void {
    this.#states.know(channel, lookup, expiresAt);
    this.#states.show(channel, servedValue(channel, now), channel.valueExpiresAt, now.monotonic);
  }

  remove(channel: Channel): void {
    this.#count(channel.serving, -1);
    this.#removeValues(channel);
    this.#limits.remove(channel);
    this.#states.remove(channel);
    this.#infos.delete(keyOf(channel));
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
    channel.value = value;
    this.#setValues(channel, value);
    this.#limits.compare(channel, value, channel.valueExpiresAt, now.monotonic);
    this.#states.show(channel, value, channel.valueExpiresAt, now.monotonic);
  }

  #setValues(channel: Channel, value: number): void {
    const { original, mapped } = channel.serving;
    if (original) {
      channel.slot ??= this.#values.add(channel.labels);
      this.#values.set(channel.slot, value, channel.valueExpiresAt);
    }
    const { mappedTable } = channel;
    if (mapped !== undefined && mappedTable !== undefined) {
      channel.mappedSlot ??= mappedTable.add(mapped.labels);
      mappedTable.set(channel.mappedSlot, convert(mapped.conversion, value), channel.valueExpiresAt);
    }
  }

  /** Rules see the channel in another way, or its labels are others; what was shown is shown again, as it is now. */
  #serve(channel: Channel, serving: ChannelServing, now: Moment): void {
    const { monotonic } = now;
    const value = servedValue(channel, now);
    this.#removeValues(channel);
    this.#limits.serve(channel, serving, monotonic);
    this.#count(channel.serving, -1);
    this.#count(serving, 1);
    channel.serving = serving;
    channel.mappedTable = this.#mappedTable(serving);
    channel.value = value;
    if (value !== undefined) this.#setValues(channel, value);
    this.#states.show(channel, value, channel.valueExpiresAt, monotonic);
  }

  #removeValues(channel: Channel): void {
    if (channel.slot !== undefined) this.#values.remove(channel.slot);
    if (channel.mappedSlot !== undefined) channel.mappedTable?.remove(channel.mappedSlot);
    channel.slot = undefined;
    channel.mappedSlot = undefined;
    channel.value = undefined;
  }

  #count({ outcome }: ChannelServing, change: 1 | -1): void {
    this.#outcomes.set(outcome, this.countOf(outcome) + change);
  }

  #mappedTable({ mapped }: ChannelServing): SeriesTable | undefined {
    return mapped === undefined ? undefined : this.#options.store.table(mapped.family);
  }

  /** It has names that the labels of the other series may lack. */
  #relabelInfo(channel: Channel, sensor: TreeNode): void {
    if (channel.serving.outcome === "dropped") {
      channel.infoLabels = undefined;
      this.#infos.delete(keyOf(channel));
      return;
    }
    channel.infoLabels = this.#infoLabels(channel, sensor);
    this.#infos.relabel(keyOf(channel), channel.infoLabels);
  }

  #infoLabels(channel: Channel, sensor: TreeNode): readonly string[] {
    const { server, mapper } = this.#options;
    const metric = channel.serving.mapped?.family.name ?? TREE_FAMILIES.channelValue.name;
    return mapper.labels.channelInfo(server, sensor, channel, metric);
  }
}

/** Undefined when there is none, or it has expired. */
function servedValue({ value, valueExpiresAt }: Channel, now: Moment): number | undefined {
  return valueExpiresAt > now.monotonic ? value : undefined;
}

function keyOf({ sensorId, channelId }: Channel): string {
  return `${sensorId}.${channelId}`;
}

function sameServing(a: ChannelServing, b: ChannelServing): boolean {
  return (
    a.outcome === b.outcome &&
    a.rule === b.rule &&
    a.original === b.original &&
    a.mapped?.family === b.mapped?.family &&
    sameConversion(a.mapped?.conversion, b.mapped?.conversion) &&
    sameTexts(a.mapped?.labels ?? [], b.mapped?.labels ?? [])
  );
}

function sameConversion(a: Conversion = UNCHANGED, b: Conversion = UNCHANGED): boolean {
  return a.shift === b.shift && a.times === b.times && a.over === b.over && a.plus === b.plus;
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}
