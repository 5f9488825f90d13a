import { type ChannelLimits, LIMIT_NAMES, type LimitName } from "../api/records.ts";
import { channelLimitLabels, limitExceededLabels } from "../mapping/labels.ts";
import { isBeyondLimit } from "../mapping/limits.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";

/** The part of a channel that its limits need. */
export interface LimitedChannel {
  readonly sensorId: string;
  readonly channelId: string;
  readonly key: string;
  readonly labels: readonly string[];
}

interface SetLimit {
  readonly name: LimitName;
  readonly value: number;
  readonly exceededLabels: readonly string[];
}

interface KnownLimits {
  readonly set: readonly SetLimit[];
  readonly expiresAt: number;
}

/** Limits of one server's channels, and whether the values are beyond them. Call inside a commit. */
export class ChannelLimitSeries {
  readonly #server: string;
  readonly #limits: ReadonlyMap<LimitName, KeyedSeries>;
  readonly #exceeded: ReadonlyMap<LimitName, KeyedSeries>;
  /** By channel key; only channels that have a limit. */
  readonly #known = new Map<string, KnownLimits>();

  constructor(server: string, store: Store) {
    this.#server = server;
    this.#limits = perLimit(store.table(TREE_FAMILIES.channelLimit));
    this.#exceeded = perLimit(store.table(TREE_FAMILIES.channelLimitExceeded));
  }

  /** The channel has just these limits; `expiresAt` is monotonic ms. */
  show(channel: LimitedChannel, limits: ChannelLimits, expiresAt: number): void {
    const before = this.#known.get(channel.key);
    const set: SetLimit[] = [];
    for (const name of LIMIT_NAMES) {
      const value = limits[name];
      if (value === undefined) {
        if (before?.set.some((limit) => limit.name === name)) this.#delete(channel.key, name);
        continue;
      }
      const exceededLabels =
        before?.set.find((limit) => limit.name === name)?.exceededLabels ??
        limitExceededLabels(this.#server, channel.sensorId, channel.channelId, name);
      set.push({ name, value, exceededLabels });
      this.#limits.get(name)?.set(channel.key, channelLimitLabels(channel.labels, name), value, expiresAt);
    }
    if (set.length > 0) this.#known.set(channel.key, { set, expiresAt });
    else this.#known.delete(channel.key);
  }

  /** Says for each limit whether `value`, served until `expiresAt`, is beyond it; undefined: no value is served. */
  compare(channel: LimitedChannel, value: number | undefined, expiresAt: number, now: number): void {
    const known = this.#known.get(channel.key);
    if (known === undefined) return;
    if (known.expiresAt <= now) {
      this.remove(channel.key);
      return;
    }
    for (const limit of known.set) {
      const series = this.#exceeded.get(limit.name);
      if (value === undefined) series?.withdraw(channel.key);
      else {
        const beyond = isBeyondLimit(limit.name, limit.value, value) ? 1 : 0;
        series?.set(channel.key, limit.exceededLabels, beyond, Math.min(expiresAt, known.expiresAt));
      }
    }
  }

  relabel(channel: LimitedChannel): void {
    for (const { name } of this.#known.get(channel.key)?.set ?? []) {
      this.#limits.get(name)?.relabel(channel.key, channelLimitLabels(channel.labels, name));
    }
  }

  remove(key: string): void {
    for (const { name } of this.#known.get(key)?.set ?? []) this.#delete(key, name);
    this.#known.delete(key);
  }

  #delete(key: string, name: LimitName): void {
    this.#limits.get(name)?.delete(key);
    this.#exceeded.get(name)?.delete(key);
  }
}

function perLimit(table: SeriesTable): ReadonlyMap<LimitName, KeyedSeries> {
  return new Map(LIMIT_NAMES.map((name) => [name, new KeyedSeries(table)]));
}
