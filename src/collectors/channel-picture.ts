import type { TimeSlices } from "../lib/yielding.ts";
import type { ChannelMapper, MappingOutcome, ValueSeries } from "../mapping/channel-mapper.ts";
import type { Lookups } from "../mapping/lookups.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { oncePerNode } from "../mapping/once-per-node.ts";
import type { TreeNode } from "../model/tree.ts";
import { type ChannelRecord, type ListResult, provesAbsence } from "../prtg/records.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { Owner } from "../store/owner.ts";
import type { Tables } from "../store/store.ts";
import type { Channel } from "./channel.ts";
import { ChannelSeries, type Moment } from "./channel-series.ts";
import { staleAfter } from "./deadlines.ts";
import type { FreshRow } from "./freshest-values.ts";
import { SensorChannels } from "./sensor-channels.ts";

export interface ChannelPictureOptions {
  readonly server: string;
  readonly tables: Tables;
  readonly mapper: ChannelMapper;
  /** Whether `prtg_channel_info` is served. */
  readonly channelInfo: boolean;
  readonly staleAfterMs: number | undefined;
  /** The sensor's node, undefined while it is not known. */
  readonly sensor: (id: string) => TreeNode | undefined;
  readonly isPaused: (sensorId: string) => boolean;
  /** With which other series those of a sensor stay together. */
  readonly ownerOf: (sensorId: string) => Owner;
}

/** When records are shown. */
export interface Showing {
  readonly now: Moment;
  /** Monotonic time until which infos, and limits and lookups that came with values, may be served. */
  readonly until: number;
}

/** All channels of one server: which there are, which wait for their sensor. Call inside a commit. */
export class ChannelPicture {
  readonly #options: ChannelPictureOptions;
  readonly #series: ChannelSeries;
  readonly #lastMeasurement: KeyedSeries;
  readonly #sensorLabels: (sensor: TreeNode) => readonly string[];
  readonly #sensors = new Map<string, SensorChannels>();
  #waiting = new Map<string, ChannelRecord[]>();
  #waitingCount = 0;
  #count = 0;
  #lookups: Lookups | undefined;
  #poll = 0;

  constructor(options: ChannelPictureOptions) {
    const { server, tables, mapper, channelInfo, ownerOf } = options;
    this.#options = options;
    this.#series = new ChannelSeries({ server, tables, mapper, info: channelInfo, ownerOf });
    this.#lastMeasurement = new KeyedSeries(tables.table(TREE_FAMILIES.sensorLastMeasurement), ownerOf);
    this.#sensorLabels = oncePerNode((sensor) => mapper.labels.sensor(server, sensor));
  }

  /** Another picture of the same channels, which shows them as `options` say. This one stays as it is. */
  async copyTo(options: ChannelPictureOptions, { now, until }: Showing, slices: TimeSlices): Promise<ChannelPicture> {
    const copy = new ChannelPicture(options);
    for (const [id, group] of this.#sensors) {
      const { sensor } = group;
      const staleAfterMs = staleAfter(sensor.intervalSeconds, options.staleAfterMs);
      const copied = new SensorChannels(sensor);
      for (const channel of group.channels) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        copied.add(copy.#series.takeOver(channel, sensor, staleAfterMs, now, until));
      }
      const { paused, newest, newestIn } = group;
      copy.#sensors.set(id, Object.assign(copied, { paused, staleAfterMs, newest, newestIn }));
      const last = this.#lastMeasurement.value(id);
      if (last !== undefined) copy.#lastMeasurement.set(id, copy.#sensorLabels(sensor), last);
    }
    copy.#waiting = this.#waiting;
    copy.#waitingCount = this.#waitingCount;
    copy.#count = this.#count;
    copy.#lookups = this.#lookups;
    copy.#poll = this.#poll;
    return copy;
  }

  /** Channels whose sensor is known. */
  get count(): number {
    return this.#count;
  }

  /** Channels of the last poll whose sensor is not known yet. */
  get waiting(): number {
    return this.#waitingCount;
  }

  get waitingSensors(): Iterable<string> {
    return this.#waiting.keys();
  }

  async applyValues(list: ListResult<ChannelRecord>, showing: Showing, slices: TimeSlices): Promise<void> {
    this.#poll++;
    this.#waiting = new Map();
    this.#waitingCount = 0;
    let seen = 0;
    let group: SensorChannels | undefined;
    for (const record of list.items) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (group?.sensor.id !== record.sensorId) {
        this.#showLastMeasurement(group);
        group = this.#sensorOf(record.sensorId);
      }
      if (group === undefined) this.#wait(record);
      else {
        this.#show(group, record, showing);
        seen++;
      }
    }
    this.#showLastMeasurement(group);
    if (provesAbsence(list, this.#count - seen)) await this.#countMissed(slices);
  }

  /**
   * Shows limits and states of the channels that are known; values stay as they are. `lookups`: undefined where the
   * server does not tell. Resolves with how many channels have a lookup that is not among them.
   */
  async applyLimits(
    list: ListResult<ChannelRecord>,
    lookups: Lookups | undefined,
    expiresAt: number,
    now: Moment,
    slices: TimeSlices,
  ): Promise<number> {
    this.#lookups = lookups;
    let unknown = 0;
    for (const record of list.items) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const channel = this.#sensors.get(record.sensorId)?.find(record.channelId);
      if (channel === undefined) continue;
      if (record.limits !== undefined) this.#series.showLimits(channel, record.limits, expiresAt, now);
      if (!this.#showState(channel, record, expiresAt, now)) unknown++;
    }
    return unknown;
  }

  /** Shows rows of time series, by sensor, on the channels that are known; paused sensors keep none. */
  async applySeries(rows: ReadonlyMap<string, FreshRow>, now: Moment, slices: TimeSlices): Promise<void> {
    for (const [sensorId, { at, values }] of rows) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const group = this.#sensors.get(sensorId);
      if (group === undefined || this.#options.isPaused(sensorId)) continue;
      for (const [channelId, value] of values) {
        const channel = group.find(channelId);
        if (channel !== undefined) this.#series.showFreshest(channel, value, at, group.staleAfterMs, now);
      }
      if (at <= group.newest) continue;
      group.newest = at;
      this.#lastMeasurement.set(sensorId, this.#sensorLabels(group.sensor), at / 1000);
    }
  }

  /** The series that show a channel's value; undefined while the channel is not known. */
  seriesOf(sensorId: string, channelId: string): readonly ValueSeries[] | undefined {
    const channel = this.#sensors.get(sensorId)?.find(channelId);
    return channel && this.#options.mapper.seriesOf(channel.serving, channel.labels);
  }

  /** Channels of which rules made this. */
  countOf(outcome: MappingOutcome): number {
    return this.#series.countOf(outcome);
  }

  /** What is kept of the channels of a sensor, and the age at which their values go; undefined where none was listed. */
  channelsOf(sensorId: string): Readonly<Pick<SensorChannels, "staleAfterMs" | "channels">> | undefined {
    return this.#sensors.get(sensorId);
  }

  /** Every channel with its sensor. Commits may come in between. */
  *all(): Iterable<readonly [sensor: TreeNode, channel: Readonly<Channel>]> {
    for (const { sensor, channels } of this.#sensors.values()) {
      for (const channel of channels) yield [sensor, channel];
    }
  }

  /** Shows the channels that waited for this sensor. */
  adopt(sensor: TreeNode, showing: Showing): void {
    const records = this.#waiting.get(sensor.id);
    const group = records === undefined ? undefined : this.#sensorOf(sensor.id);
    if (records === undefined || group === undefined) return;
    for (const record of records) this.#show(group, record, showing);
    this.#showLastMeasurement(group);
    this.#waiting.delete(sensor.id);
    this.#waitingCount -= records.length;
  }

  /** The sensor's node was replaced. */
  relabel(sensor: TreeNode, now: Moment): void {
    const group = this.#sensors.get(sensor.id);
    if (group === undefined) return;
    group.sensor = sensor;
    this.#lastMeasurement.relabel(sensor.id, this.#sensorLabels(sensor));
    for (const channel of group.channels) this.#series.relabel(channel, sensor, now);
  }

  withdrawValues(sensorId: string, now: Moment): void {
    for (const channel of this.#sensors.get(sensorId)?.channels ?? []) {
      this.#series.withdrawValue(channel, now);
    }
  }

  removeSensor(id: string): void {
    const group = this.#sensors.get(id);
    if (group === undefined) return;
    for (const channel of group.channels) this.#series.remove(channel);
    this.#count -= group.channels.length;
    this.#sensors.delete(id);
    this.#lastMeasurement.delete(id);
  }

  #sensorOf(id: string): SensorChannels | undefined {
    let group = this.#sensors.get(id);
    if (group === undefined) {
      const sensor = this.#options.sensor(id);
      if (sensor === undefined) return undefined;
      group = new SensorChannels(sensor);
      this.#sensors.set(id, group);
    }
    group.paused = this.#options.isPaused(id);
    group.staleAfterMs = staleAfter(group.sensor.intervalSeconds, this.#options.staleAfterMs);
    return group;
  }

  #wait(record: ChannelRecord): void {
    const records = this.#waiting.get(record.sensorId);
    if (records === undefined) this.#waiting.set(record.sensorId, [record]);
    else records.push(record);
    this.#waitingCount++;
  }

  #show(group: SensorChannels, record: ChannelRecord, { now, until }: Showing): void {
    const { sensor } = group;
    let channel = group.find(record.channelId);
    if (channel === undefined) {
      channel = this.#series.create(sensor, record);
      group.add(channel);
      this.#count++;
    } else if (channel.name !== record.name || channel.unit !== record.unit) {
      this.#series.rename(channel, record, now);
    }
    channel.missed = 0;
    channel.seenIn = this.#poll;
    this.#series.showInfo(channel, until);
    if (group.paused) this.#series.withdrawValue(channel, now);
    else this.#series.showValue(channel, record, group.staleAfterMs, now);
    if (record.limits !== undefined) this.#series.showLimits(channel, record.limits, until, now);
    this.#showState(channel, record, until, now);
    if (record.measuredAt === undefined) return;
    if (group.newestIn !== this.#poll) group.newest = record.measuredAt;
    else if (record.measuredAt > group.newest) group.newest = record.measuredAt;
    group.newestIn = this.#poll;
  }

  /** False when the record names a lookup that is not known. */
  #showState(channel: Channel, { lookup }: ChannelRecord, expiresAt: number, now: Moment): boolean {
    if (lookup === undefined || this.#lookups === undefined) return true;
    const definition = this.#lookups.find(lookup);
    this.#series.showState(channel, definition, expiresAt, now);
    return definition !== undefined || lookup === "";
  }

  #showLastMeasurement(group: SensorChannels | undefined): void {
    if (group === undefined || group.newestIn !== this.#poll) return;
    const { sensor, newest } = group;
    // Stays without deadline: it is the age of what is no longer served.
    this.#lastMeasurement.set(sensor.id, this.#sensorLabels(sensor), newest / 1000);
  }

  async #countMissed(slices: TimeSlices): Promise<void> {
    for (const group of this.#sensors.values()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      group.retain((channel) => {
        if (channel.seenIn === this.#poll) return true;
        channel.missed++;
        if (channel.missed < 2) return true;
        this.#series.remove(channel);
        this.#count--;
        return false;
      });
    }
  }
}
