import type { ChannelServing } from "../mapping/channel-mapper.ts";
import { stateText } from "../mapping/lookups.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { channelStateLabels } from "../mapping/series-labels.ts";
import type { LookupDefinition } from "../prtg/records.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { Owner } from "../store/owner.ts";
import type { Tables } from "../store/store.ts";
import { sensorOf } from "./channel-limits.ts";

/** The lookup of a channel, and what it last said. */
export interface KnownLookup {
  /** `2490.1` */
  readonly key: string;
  definition: LookupDefinition;
  /** Monotonic. */
  expiresAt: number;
  /** For `labelsOf`, kept because most values are those of the poll before; undefined when they have to be made anew. */
  labels: readonly string[] | undefined;
  labelsOf: number;
}

/** The part of a channel that its state needs. */
export interface StatedChannel {
  readonly sensorId: string;
  readonly channelId: string;
  readonly labels: readonly string[];
  readonly serving: ChannelServing;
  /** Undefined for the many channels that have none. */
  lookup: KnownLookup | undefined;
}

/** `prtg_channel_state`: one series per channel with a lookup, for the text of the value that is served. Call inside a commit. */
export class ChannelStateSeries {
  readonly #series: KeyedSeries;

  constructor(tables: Tables, ownerOf: (sensorId: string) => Owner) {
    const table = tables.table(TREE_FAMILIES.channelState);
    this.#series = new KeyedSeries(table, (key) => ownerOf(sensorOf(key)));
  }

  /** The channel has this lookup, or none; `expiresAt` is monotonic ms. What is shown changes with the next value. */
  know(channel: StatedChannel, definition: LookupDefinition | undefined, expiresAt: number): void {
    const { sensorId, channelId, lookup } = channel;
    if (definition === undefined) this.remove(channel);
    else if (lookup === undefined) {
      const key = `${sensorId}.${channelId}`;
      channel.lookup = { key, definition, expiresAt, labels: undefined, labelsOf: 0 };
    } else {
      lookup.expiresAt = expiresAt;
      if (lookup.definition !== definition) lookup.labels = undefined;
      lookup.definition = definition;
    }
  }

  /**
   * Shows the text of `value`, which is served until `expiresAt`, under the labels that the channel has now; undefined:
   * no value is served.
   */
  show(channel: StatedChannel, value: number | undefined, expiresAt: number, now: number): void {
    const { lookup } = channel;
    if (lookup === undefined) return;
    if (lookup.expiresAt <= now) this.remove(channel);
    else if (value === undefined || channel.serving.outcome === "dropped") this.#series.delete(lookup.key);
    else {
      const labels = stateLabels(lookup, channel, value);
      this.#series.set(lookup.key, labels, 1, Math.min(expiresAt, lookup.expiresAt));
    }
  }

  /** The channel has other labels: the next value is shown under them. */
  relabel({ lookup }: StatedChannel): void {
    if (lookup === undefined) return;
    lookup.labels = undefined;
    // With the series goes what it stays together with, which the labels need not tell.
    this.#series.delete(lookup.key);
  }

  remove(channel: StatedChannel): void {
    if (channel.lookup === undefined) return;
    this.#series.delete(channel.lookup.key);
    channel.lookup = undefined;
  }
}

function stateLabels(lookup: KnownLookup, channel: StatedChannel, value: number): readonly string[] {
  const { labels, labelsOf, definition } = lookup;
  if (labels !== undefined && labelsOf === value) return labels;
  const made = channelStateLabels(channel.labels, stateText(definition, value));
  lookup.labels = made;
  lookup.labelsOf = value;
  return made;
}
