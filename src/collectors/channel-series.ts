import type { ChannelMapper, ChannelServing, MappingOutcome } from "../mapping/channel-mapper.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { type Conversion, convert, UNCHANGED } from "../mapping/units/conversion.ts";
import type { TreeNode } from "../model/tree.ts";
import type { ChannelLimits, ChannelRecord, LookupDefinition } from "../prtg/records.ts";
import type { Owner } from "../store/owner.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Tables } from "../store/store.ts";
import { Channel, ChannelNumbers } from "./channel.ts";
import { ChannelLimitSeries } from "./channel-limits.ts";
import { ChannelStateSeries } from "./channel-states.ts";
import { nodeOwner } from "./node-owner.ts";

/** The clocks at one moment: ours, which never jumps, and the server's, in milliseconds since the epoch. */
export interface Moment {
  readonly monotonic: number;
  readonly server: number;
  /** It is not clear whether the server's clock is still the one that we know. */
  readonly isServerInDoubt: boolean;
}

export interface ChannelSeriesOptions {
  readonly server: string;
  readonly tables: Tables;
  readonly mapper: ChannelMapper;
  /** Whether `prtg_channel_info` is served. */
  readonly info: boolean;
  /** With which other series those of a sensor stay together. */
  readonly ownerOf: (sensorId: string) => Owner;
}

/** By how much a measurement may be ahead of what is known of the server's clock. */
const MAX_AHEAD_MS = 60_000;

/** Values, limits and states of one server's channels. Call inside a commit. */
export class ChannelSeries {
  readonly #options: ChannelSeriesOptions;
  readonly #values: SeriesTable;
  readonly #infos: SeriesTable;
  readonly #limits: ChannelLimitSeries;
  readonly #states: ChannelStateSeries;
  readonly #numbers = new ChannelNumbers();
  readonly #outcomes = new Map<MappingOutcome, number>();

  constructor(options: ChannelSeriesOptions) {
    const { server, tables, ownerOf } = options;
    this.#options = options;
    this.#values = tables.table(TREE_FAMILIES.channelValue);
    this.#infos = tables.table(TREE_FAMILIES.channelInfo);
    this.#limits = new ChannelLimitSeries(server, tables, ownerOf);
    this.#states = new ChannelStateSeries(tables, ownerOf);
  }

  /** Channels of which rules made this. */
  countOf(outcome: MappingOutcome): number {
    return this.#outcomes.get(outcome) ?? 0;
  }

  /** A channel without series yet. */
  create(sensor: TreeNode, record: Pick<ChannelRecord, "channelId" | "name" | "unit">): Channel {
    const { server, mapper } = this.#options;
    const serving = mapper.serve(server, sensor, record);
    this.#count(serving, 1);
    const channel = new Channel(this.#options, this.#numbers.take(), sensor, record, serving);
    channel.mappedTable = this.#mappedTable(serving);
    return channel;
  }

  /**
   * A channel of another one of this kind, as this one shows it: labels and rules may be other ones, and values may be
   * served for another time. `infoUntil` (monotonic ms): as in `showInfo`.
   */
  takeOver(shown: Channel, sensor: TreeNode, staleAfterMs: number, now: Moment, infoUntil: number): Channel {
    const { missed, seenIn, measuredAt, seriesAt, measuredMonotonic } = shown;
    const channel = this.create(sensor, shown);
    Object.assign(channel, { missed, seenIn, measuredAt, seriesAt, measuredMonotonic });
    const value = servedValue(shown, now);
    channel.valueExpiresAt = measuredMonotonic + staleAfterMs;
    if (value !== undefined && channel.valueExpiresAt > now.monotonic) {
      channel.value = value;
      this.#setValues(channel, value);
    }
    const { limits, lookup } = shown;
    if (limits !== undefined && limits.expiresAt > now.monotonic) {
      const values = Object.fromEntries(limits.set.map(({ name, value: limit }) => [name, limit]));
      this.showLimits(channel, values, limits.expiresAt, now);
    }
    if (lookup !== undefined) this.showState(channel, lookup.definition, lookup.expiresAt, now);
    this.showInfo(channel, infoUntil);
    return channel;
  }

  /** Takes over name and unit from the record. */
  rename(channel: Channel, record: ChannelRecord, now: Moment): void {
    const before = channel.labels;
    channel.name = record.name;
    channel.unit = record.unit;
    this.#changed(channel, before, false, now);
  }

  /** The sensor's node was replaced. */
  relabel(channel: Channel, sensor: TreeNode, now: Moment): void {
    const { server } = this.#options;
    const before = channel.labels;
    const isMoved = nodeOwner(server, sensor) !== nodeOwner(server, channel.sensor);
    channel.sensor = sensor;
    this.#changed(channel, before, isMoved, now);
  }

  #changed(channel: Channel, before: readonly string[], isMoved: boolean, now: Moment): void {
    const { server, mapper } = this.#options;
    const serving = mapper.serve(server, channel.sensor, channel);
    // Most of what replaces a node (priority, interval) is in no label and in no rule.
    if (isMoved || !sameTexts(channel.labels, before) || !sameServing(serving, channel.serving)) {
      this.#serve(channel, serving, now);
    }
    if (this.#options.info) this.#relabelInfo(channel);
  }

  /** Says that the channel exists, until `expiresAt` (monotonic ms). */
  showInfo(channel: Channel, expiresAt: number): void {
    if (!this.#options.info || channel.serving.outcome === "dropped") return;
    channel.infoSlot ??= this.#infos.add(this.#infoLabels(channel), this.#ownerOf(channel));
    this.#infos.set(channel.infoSlot, 1, expiresAt);
  }

  /** Serves the record's value until it is `staleAfterMs` old; none when it was never measured. */
  showValue(channel: Channel, record: ChannelRecord, staleAfterMs: number, now: Moment): void {
    const { value, measuredAt } = record;
    if (value === undefined || measuredAt === undefined) this.withdrawValue(channel, now);
    // A list that lags behind the series has nothing to say, while what the series gave is served.
    else if (measuredAt >= seriesTime(channel, measuredAt, now) || channel.valueExpiresAt <= now.monotonic) {
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
    this.#removeInfo(channel);
    this.#numbers.release(channel.row);
  }

  #show(channel: Channel, value: number, measuredAt: number, staleAfterMs: number, now: Moment): void {
    const age = now.server - measuredAt;
    const isNew = channel.measuredAt !== undefined && measuredAt !== channel.measuredAt;
    // Whatever the server's clock says: what is new since the last list was measured since then.
    if (isNew && now.isServerInDoubt) channel.measuredMonotonic = now.monotonic;
    else if (age >= 0) channel.measuredMonotonic = now.monotonic - age;
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
      channel.slot ??= this.#values.add(channel.labels, this.#ownerOf(channel));
      this.#values.set(channel.slot, value, channel.valueExpiresAt);
    }
    const { mappedTable } = channel;
    if (mapped !== undefined && mappedTable !== undefined) {
      channel.mappedSlot ??= mappedTable.add(mapped.labels, this.#ownerOf(channel));
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
    this.#states.relabel(channel);
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
    return mapped === undefined ? undefined : this.#options.tables.table(mapped.family);
  }

  /** It has names that the labels of the other series may lack. */
  #relabelInfo(channel: Channel): void {
    const { infoSlot } = channel;
    if (infoSlot === undefined) return;
    if (channel.serving.outcome === "dropped") {
      this.#removeInfo(channel);
      return;
    }
    const labels = this.#infoLabels(channel);
    const owner = this.#ownerOf(channel);
    if (owner === this.#infos.owner(infoSlot) && this.#infos.hasLabels(infoSlot, labels)) return;
    this.#infos.relabel(infoSlot, labels, owner);
  }

  #removeInfo(channel: Channel): void {
    if (channel.infoSlot !== undefined) this.#infos.remove(channel.infoSlot);
    channel.infoSlot = undefined;
  }

  #infoLabels(channel: Channel): readonly string[] {
    const { server, mapper } = this.#options;
    const metric = channel.serving.mapped?.family.name ?? TREE_FAMILIES.channelValue.name;
    return mapper.labels.channelInfo(server, channel.sensor, channel, metric);
  }

  #ownerOf({ sensor }: Channel): Owner {
    return nodeOwner(this.#options.server, sensor);
  }
}

/** Until when the series knows; that of a clock that was ahead for a while says nothing any more. */
function seriesTime({ seriesAt }: Channel, otherwise: number, now: Moment): number {
  return seriesAt === undefined || seriesAt > now.server + MAX_AHEAD_MS ? otherwise : seriesAt;
}

/** Undefined when there is none, or it has expired. */
function servedValue({ value, valueExpiresAt }: Channel, now: Moment): number | undefined {
  return valueExpiresAt > now.monotonic ? value : undefined;
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
