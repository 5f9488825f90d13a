import { mapEntry } from "../lib/map-entry.ts";
import type { TimeSlices } from "../lib/yielding.ts";
import { type ChannelList, type ChannelRecord, provesAbsence } from "../prtg/records.ts";
import {
  CHANNEL_FACTS,
  Channel,
  changeStaleness,
  channelNumbers,
  factsOfValue,
  measure,
  takeLimits,
  takeLookup,
  takeValue,
  withdrawValue,
} from "./channel.ts";
import type { Lookups } from "./lookups.ts";
import { NODE_FACTS, type NodeState } from "./node-state.ts";
import { SensorChannels } from "./sensor-channels.ts";
import type { StateObserver } from "./state-observer.ts";
import { type ClockReading, staleAfter, type UpdateContext } from "./update-context.ts";

export interface LatestRow {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** In the display unit. */
  readonly values: readonly (readonly [channelId: string, value: number])[];
}

export interface ServerChannelsOptions {
  readonly sensor: (id: string) => NodeState | undefined;
  /** `undefined`: three scanning intervals, at least five minutes. */
  readonly staleAfterMs: number | undefined;
  readonly removed: (channel: Channel) => void;
}

/** All channels of one server, also those whose sensor is unknown yet. */
export class ServerChannels {
  observer: StateObserver;
  readonly #options: ServerChannelsOptions;
  readonly #numbers = channelNumbers();
  readonly #sensors = new Map<string, SensorChannels>();
  #staleAfterMs: number | undefined;
  #waiting = new Map<string, ChannelRecord[]>();
  #waitingCount = 0;
  #count = 0;
  #lookups: Lookups | undefined;
  #poll = 0;

  constructor(options: ServerChannelsOptions, observer: StateObserver) {
    this.#options = options;
    this.#staleAfterMs = options.staleAfterMs;
    this.observer = observer;
  }

  get count(): number {
    return this.#count;
  }

  /** Channels of the last poll without a sensor. */
  get waiting(): number {
    return this.#waitingCount;
  }

  get pendingSensors(): Iterable<string> {
    return this.#waiting.keys();
  }

  /** The state may change during the iteration. */
  get all(): Iterable<SensorChannels> {
    return this.#sensors.values();
  }

  of(sensorId: string): SensorChannels | undefined {
    return this.#sensors.get(sensorId);
  }

  /** Removes channels that two successive complete lists lack. */
  async list(list: ChannelList, context: UpdateContext): Promise<void> {
    const { now, expiry, slices } = context;
    const expiresAt = expiry.channel();
    this.#poll++;
    this.#waiting = new Map();
    this.#waitingCount = 0;
    let seen = 0;
    let group: SensorChannels | undefined;
    for (const record of list.items) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (group?.sensor.id !== record.sensorId) {
        this.#endSensor(group, now);
        group = this.#sensorOf(record.sensorId);
      }
      if (group === undefined) this.#wait(record);
      else {
        this.#take(group, record, now, expiresAt);
        seen++;
      }
    }
    this.#endSensor(group, now);
    if (provesAbsence(list, this.#count - seen)) await this.#countMissed(slices);
  }

  /** Returns the number of channels whose lookup is unknown. */
  async applyLimits(
    list: ChannelList,
    lookups: Lookups | undefined,
    { now, expiry, slices }: UpdateContext,
  ): Promise<number> {
    const expiresAt = expiry.limit();
    this.#lookups = lookups;
    let unknown = 0;
    for (const record of list.items) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const channel = this.#sensors.get(record.sensorId)?.find(record.channelId);
      if (channel === undefined) continue;
      if (this.#misses(record)) unknown++;
      const facts = this.#takeLimits(channel, record, expiresAt);
      if (facts !== 0) this.observer.onChannelChange(channel, facts, now.monotonic);
    }
    return unknown;
  }

  /** Ignores unknown channels, paused sensors, and rows that are older than the lists. */
  async applySeries(rows: ReadonlyMap<string, LatestRow>, { now, slices }: UpdateContext): Promise<void> {
    for (const [sensorId, { at, values }] of rows) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const group = this.#sensors.get(sensorId);
      if (group === undefined || group.sensor.isPaused) continue;
      for (const [channelId, value] of values) {
        const channel = group.find(channelId);
        if (channel === undefined) continue;
        channel.seriesAt = at;
        measure(channel, { value, measuredAt: at }, group.staleAfterMs, now);
        this.observer.onChannelChange(channel, factsOfValue(channel, now), now.monotonic);
      }
      const { sensor } = group;
      if (at <= (sensor.lastMeasuredAt ?? 0)) continue;
      sensor.lastMeasuredAt = at;
      this.observer.onNodeChange(sensor, NODE_FACTS.measurement, now.monotonic);
    }
  }

  /** Adds the channels of the last poll that belong to the new sensor. */
  adopt(sensorId: string, now: ClockReading, expiresAt: number): void {
    const records = this.#waiting.get(sensorId);
    const group = records === undefined ? undefined : this.#sensorOf(sensorId);
    if (records === undefined || group === undefined) return;
    for (const record of records) this.#take(group, record, now, expiresAt);
    this.#endSensor(group, now);
    this.#waiting.delete(sensorId);
    this.#waitingCount -= records.length;
  }

  moveSensor(id: string, now: ClockReading): void {
    for (const channel of this.#sensors.get(id)?.channels ?? []) {
      this.observer.onChannelChange(channel, CHANNEL_FACTS.identity, now.monotonic);
    }
  }

  pauseSensor(id: string, now: ClockReading): void {
    for (const channel of this.#sensors.get(id)?.channels ?? []) {
      this.observer.onChannelChange(channel, withdrawValue(channel, now), now.monotonic);
    }
  }

  removeSensor(id: string): void {
    const group = this.#sensors.get(id);
    if (group === undefined) return;
    for (const channel of group.channels) this.#remove(channel);
    this.#sensors.delete(id);
  }

  /** Does not call the observer. */
  async changeStaleness(staleAfterMs: number | undefined, { now, slices }: UpdateContext): Promise<void> {
    this.#staleAfterMs = staleAfterMs;
    for (const group of this.#sensors.values()) {
      group.staleAfterMs = this.#staleAfter(group);
      for (const channel of group.channels) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        changeStaleness(channel, group.staleAfterMs, now.monotonic);
      }
    }
  }

  #staleAfter({ sensor }: SensorChannels): number {
    return staleAfter(sensor.node.intervalSeconds, this.#staleAfterMs);
  }

  #sensorOf(id: string): SensorChannels | undefined {
    let group = this.#sensors.get(id);
    if (group === undefined) {
      const sensor = this.#options.sensor(id);
      if (sensor === undefined) return undefined;
      group = new SensorChannels(sensor);
      this.#sensors.set(id, group);
    }
    group.paused = group.sensor.isPaused;
    group.staleAfterMs = this.#staleAfter(group);
    return group;
  }

  #wait(record: ChannelRecord): void {
    // A copy: a retry of the list can change the record and then fail.
    mapEntry(this.#waiting, record.sensorId, () => []).push({ ...record });
    this.#waitingCount++;
  }

  #take(group: SensorChannels, record: ChannelRecord, now: ClockReading, expiresAt: number): void {
    let facts: number = CHANNEL_FACTS.listed;
    let channel = group.find(record.channelId);
    if (channel === undefined) {
      channel = new Channel(this.#numbers, group.sensor, record);
      group.add(channel);
      this.#count++;
      facts |= CHANNEL_FACTS.identity;
    } else if (channel.name !== record.name || channel.unit !== record.unit) {
      channel.name = record.name;
      channel.unit = record.unit;
      facts |= CHANNEL_FACTS.identity;
    }
    channel.missed = 0;
    channel.seenIn = this.#poll;
    channel.presenceExpiresAt = expiresAt;
    facts |= group.paused ? withdrawValue(channel, now) : takeValue(channel, record, group.staleAfterMs, now);
    facts |= this.#takeLimits(channel, record, expiresAt);
    this.observer.onChannelChange(channel, facts, now.monotonic);
    if (record.measuredAt === undefined) return;
    const { sensor } = group;
    if (group.measuredIn !== this.#poll || record.measuredAt > (sensor.lastMeasuredAt ?? 0)) {
      sensor.lastMeasuredAt = record.measuredAt;
    }
    group.measuredIn = this.#poll;
  }

  #takeLimits(channel: Channel, record: ChannelRecord, expiresAt: number): number {
    if (record.limits === undefined && record.lookup === undefined) return 0;
    return takeLimits(channel, record, expiresAt) | takeLookup(channel, record, this.#lookups, expiresAt);
  }

  #misses({ lookup }: ChannelRecord): boolean {
    if (lookup === undefined || lookup === "") return false;
    return this.#lookups !== undefined && this.#lookups.find(lookup) === undefined;
  }

  #endSensor(group: SensorChannels | undefined, now: ClockReading): void {
    if (group === undefined || group.measuredIn !== this.#poll) return;
    this.observer.onNodeChange(group.sensor, NODE_FACTS.measurement, now.monotonic);
  }

  async #countMissed(slices: TimeSlices): Promise<void> {
    for (const group of this.#sensors.values()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      group.retain((channel) => {
        if (channel.seenIn === this.#poll) return true;
        channel.missed++;
        if (channel.missed < 2) return true;
        this.#remove(channel);
        return false;
      });
    }
  }

  #remove(channel: Channel): void {
    this.observer.onChannelRemoval(channel);
    this.#options.removed(channel);
    this.#numbers.release(channel.row);
    this.#count--;
  }
}
