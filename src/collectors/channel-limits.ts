import { type ChannelLimits, LIMIT_NAMES, type LimitName } from "../api/records.ts";
import { channelLimitLabels, limitExceededLabels } from "../mapping/labels.ts";
import { isBeyondLimit } from "../mapping/limits.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";

interface SetLimit {
  readonly name: LimitName;
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
  /** Undefined for the many channels that have none. */
  limits: KnownLimits | undefined;
}

/** Limits of one server's channels, and whether the values are beyond them. Call inside a commit. */
export class ChannelLimitSeries {
  readonly #server: string;
  readonly #limits: ReadonlyMap<LimitName, KeyedSeries>;
  readonly #exceeded: ReadonlyMap<LimitName, KeyedSeries>;

  constructor(server: string, store: Store) {
    this.#server = server;
    this.#limits = perLimit(store.table(TREE_FAMILIES.channelLimit));
    this.#exceeded = perLimit(store.table(TREE_FAMILIES.channelLimitExceeded));
  }

  /** The channel has just these limits; `expiresAt` is monotonic ms. */
  show(channel: LimitedChannel, limits: ChannelLimits, expiresAt: number): void {
    const before = channel.limits;
    const key = before?.key ?? `${channel.sensorId}.${channel.channelId}`;
    const set: SetLimit[] = [];
    for (const name of LIMIT_NAMES) {
      const known = before?.set.find((limit) => limit.name === name);
      const value = limits[name];
      if (value === undefined) {
        if (known !== undefined) this.#delete(key, name);
        continue;
      }
      const exceededLabels =
        known?.exceededLabels ?? limitExceededLabels(this.#server, channel.sensorId, channel.channelId, name);
      set.push({ name, value, exceededLabels });
      this.#limits.get(name)?.set(key, channelLimitLabels(channel.labels, name), value, expiresAt);
    }
    channel.limits = set.length === 0 ? undefined : { key, set, expiresAt };
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

  relabel(channel: LimitedChannel): void {
    if (channel.limits === undefined) return;
    for (const { name } of channel.limits.set) {
      this.#limits.get(name)?.relabel(channel.limits.key, channelLimitLabels(channel.labels, name));
    }
  }

  remove(channel: LimitedChannel): void {
    if (channel.limits === undefined) return;
    for (const { name } of channel.limits.set) this.#delete(channel.limits.key, name);
    channel.limits = undefined;
  }

  #delete(key: string, name: LimitName): void {
    this.#limits.get(name)?.delete(key);
    this.#exceeded.get(name)?.delete(key);
  }
}

function perLimit(table: SeriesTable): ReadonlyMap<LimitName, KeyedSeries> {
  return new Map(LIMIT_NAMES.map((name) => [name, new KeyedSeries(table)]));
}
