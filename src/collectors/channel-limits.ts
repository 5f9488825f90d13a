import type { ChannelServing } from "../mapping/channel-mapper.ts";
import { isBeyondLimit } from "../mapping/limits.ts";
import { type MetricFamily, TREE_FAMILIES } from "../mapping/metric-table.ts";
import { channelLimitLabels, limitExceededLabels } from "../mapping/series-labels.ts";
import { convert } from "../mapping/units/conversion.ts";
import { type ChannelLimits, LIMIT_NAMES, type LimitName } from "../prtg/records.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { Owner } from "../store/owner.ts";
import type { Tables } from "../store/store.ts";

interface SetLimit {
  readonly name: LimitName;
  /** In the display unit. */
  readonly value: number;
  readonly exceededLabels: readonly string[];
}

/** The limits that are set on a channel. */
export interface KnownLimits {
  /** `2490.1` */
  readonly key: string;
  readonly set: readonly SetLimit[];
  /** Monotonic. */
  readonly expiresAt: number;
}

/** The part of a channel that its limits need. */
export interface LimitedChannel {
  readonly sensorId: string;
  readonly channelId: string;
  readonly labels: readonly string[];
  readonly serving: ChannelServing;
  /** Undefined for the many channels that have none. */
  limits: KnownLimits | undefined;
}

type PerLimit = ReadonlyMap<LimitName, KeyedSeries>;

/** Limits of one server's channels, in the unit of every series that shows the value, and whether it is beyond them. Call inside a commit. */
export class ChannelLimitSeries {
  readonly #server: string;
  readonly #tables: Tables;
  readonly #ownerOf: (sensorId: string) => Owner;
  readonly #limits: PerLimit;
  readonly #exceeded: PerLimit;
  readonly #mapped = new Map<string, PerLimit>();

  constructor(server: string, tables: Tables, ownerOf: (sensorId: string) => Owner) {
    this.#server = server;
    this.#tables = tables;
    this.#ownerOf = ownerOf;
    this.#limits = this.#perLimit(TREE_FAMILIES.channelLimit);
    this.#exceeded = this.#perLimit(TREE_FAMILIES.channelLimitExceeded);
  }

  /** The channel has just these limits; `expiresAt` is monotonic ms. */
  show(channel: LimitedChannel, limits: ChannelLimits, expiresAt: number): void {
    const { sensorId, channelId, serving } = channel;
    if (serving.outcome === "dropped") return;
    const before = channel.limits;
    const key = before?.key ?? `${sensorId}.${channelId}`;
    const set: SetLimit[] = [];
    for (const name of LIMIT_NAMES) {
      const known = before?.set.find((limit) => limit.name === name);
      const value = limits[name];
      if (value === undefined) {
        if (known !== undefined) this.#delete(key, name, serving);
        continue;
      }
      const exceededLabels = known?.exceededLabels ?? limitExceededLabels(this.#server, sensorId, channelId, name);
      set.push({ name, value, exceededLabels });
    }
    channel.limits = set.length === 0 ? undefined : { key, set, expiresAt };
    this.#showSet(channel, serving);
  }

  /** Says for each limit whether `value`, served until `expiresAt`, is beyond it; undefined: no value is served. */
  compare(channel: LimitedChannel, value: number | undefined, expiresAt: number, now: number): void {
    const known = channel.limits;
    if (known === undefined) return;
    if (known.expiresAt <= now) {
      this.remove(channel);
      return;
    }
    for (const limit of known.set) {
      const series = this.#exceeded.get(limit.name);
      if (value === undefined) series?.withdraw(known.key);
      else {
        const beyond = isBeyondLimit(limit.name, limit.value, value) ? 1 : 0;
        series?.set(known.key, limit.exceededLabels, beyond, Math.min(expiresAt, known.expiresAt));
      }
    }
  }

  /** The channel, whose labels may be other ones by now, is to be served as `serving`; `now` is monotonic. */
  serve(channel: LimitedChannel, serving: ChannelServing, now: number): void {
    const { limits } = channel;
    if (limits === undefined) return;
    if (serving.outcome === "dropped" || limits.expiresAt <= now) {
      this.remove(channel);
      return;
    }
    for (const { name, exceededLabels } of limits.set) {
      this.#deleteLimit(limits.key, name, channel.serving);
      this.#exceeded.get(name)?.relabel(limits.key, exceededLabels);
    }
    this.#showSet(channel, serving);
  }

  remove(channel: LimitedChannel): void {
    if (channel.limits === undefined) return;
    for (const { name } of channel.limits.set) this.#delete(channel.limits.key, name, channel.serving);
    channel.limits = undefined;
  }

  #showSet(channel: LimitedChannel, { original, mapped }: ChannelServing): void {
    if (channel.limits === undefined) return;
    const { key, set, expiresAt } = channel.limits;
    const { labels } = channel;
    for (const { name, value } of set) {
      if (original) this.#limits.get(name)?.set(key, channelLimitLabels(labels, name), value, expiresAt);
      if (mapped === undefined) continue;
      const converted = convert(mapped.conversion, value);
      const series = this.#ofFamily(mapped.family.limits).get(name);
      series?.set(key, channelLimitLabels(mapped.labels, name), converted, expiresAt);
    }
  }

  #delete(key: string, name: LimitName, serving: ChannelServing): void {
    this.#deleteLimit(key, name, serving);
    this.#exceeded.get(name)?.delete(key);
  }

  #deleteLimit(key: string, name: LimitName, { mapped }: ChannelServing): void {
    this.#limits.get(name)?.delete(key);
    if (mapped !== undefined) this.#ofFamily(mapped.family.limits).get(name)?.delete(key);
  }

  #ofFamily(family: MetricFamily): PerLimit {
    const known = this.#mapped.get(family.name) ?? this.#perLimit(family);
    this.#mapped.set(family.name, known);
    return known;
  }

  #perLimit(family: MetricFamily): PerLimit {
    const table = this.#tables.table(family);
    return new Map(LIMIT_NAMES.map((name) => [name, new KeyedSeries(table, (key) => this.#ownerOf(sensorOf(key)))]));
  }
}

/** Of the key of a channel, which holds the id of its sensor up to the first dot. */
export function sensorOf(key: string): string {
  return key.slice(0, key.indexOf("."));
}
