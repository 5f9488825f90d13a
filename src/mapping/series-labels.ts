import { mapEntry } from "../lib/map-entry.ts";
import type { TreeNode } from "../model/tree.ts";
import type { LabelSet, MetricFamily } from "./families/family.ts";
import { CHANNEL_LABELS, type ChannelSubject, MAPPED_CHANNEL_LABELS, SENSOR_LABELS } from "./families/labels.ts";
import { LABELS_TO_CHOOSE, type LabelSettings, tagValue, WIDE_LABELS } from "./label-settings.ts";
import { familiesWith, type TreeFamilyName } from "./metric-table.ts";

/** Makes the label values of an object for one server, in the order of the family's labels. */
export type LabelValues<Item> = (server: string, item: Item) => readonly string[];

interface Column<Item> {
  readonly name: string;
  readonly value: (item: Item, server: string) => string;
}

/**
 * Label names and values as the configuration wants them (section `labels`). Text stays as PRTG sent it, but a lone
 * surrogate, which no encoding can carry, becomes U+FFFD.
 */
export class SeriesLabels {
  /** The metric table with the served labels. */
  readonly families: Readonly<Record<TreeFamilyName, MetricFamily>>;
  /** False if the configuration omits labels. The info series have them then. */
  readonly isWide: boolean;
  /** `server` and C. */
  readonly channel: LabelValues<ChannelSubject>;
  /** `server` and C without `unit`. */
  readonly mappedChannel: LabelValues<ChannelSubject>;
  readonly #settings: LabelSettings;
  /** All servers share them. */
  readonly #values = new Map<LabelSet<never>, LabelValues<never>>();

  constructor(settings: LabelSettings = WIDE_LABELS) {
    this.#settings = settings;
    this.isWide = LABELS_TO_CHOOSE.every((name) => this.#isServed(name));
    this.families = familiesWith((labels) => this.#names(labels));
    this.channel = this.values(CHANNEL_LABELS);
    this.mappedChannel = this.values(MAPPED_CHANNEL_LABELS);
  }

  /** A family of mapped channels with the labels that it is served with. `ruleLabels` come last. */
  mappedFamily<Family extends MetricFamily>(family: Family, ruleLabels: readonly string[]): Family {
    return { ...family, labels: [...this.#names(MAPPED_CHANNEL_LABELS), ...ruleLabels] };
  }

  /** Values for `server` and the labels of the set. */
  values<Item>(labels: LabelSet<Item>): LabelValues<Item> {
    return mapEntry(this.#values, labels, () => valuesOf(this.#columns(labels))) as LabelValues<Item>;
  }

  #names(labels: LabelSet<never>): readonly string[] {
    return this.#columns(labels).map(({ name }) => this.#settings.rename.get(name) ?? name);
  }

  #columns<Item>({ values, configurableFor, infoOf }: LabelSet<Item>): readonly Column<Item>[] {
    const server: Column<Item> = { name: "server", value: (_, name) => name };
    const columns = [server, ...Object.entries(values).map(([name, value]): Column<Item> => ({ name, value }))];
    if (infoOf !== undefined) return [...columns, ...this.#omittedFrom(infoOf)];
    if (configurableFor === undefined) return columns;
    return [...columns.filter(({ name }) => this.#isServed(name)), ...this.#fromTags(configurableFor)];
  }

  /** The labels that series of sensors lack. */
  #omittedFrom<Item>(sensorOf: (item: Item) => TreeNode): readonly Column<Item>[] {
    return Object.entries(SENSOR_LABELS.values)
      .filter(([name]) => !this.#isServed(name))
      .map(([name, value]) => ({ name, value: (item) => value({ node: sensorOf(item) }) }));
  }

  #fromTags<Item>(sensorOf: (item: Item) => TreeNode): readonly Column<Item>[] {
    return this.#settings.fromTags.map((tag) => {
      const value = (item: Item) => {
        const { tags, inheritedTags } = sensorOf(item);
        return tagValue(tag, [...tags, ...inheritedTags]);
      };
      return { name: tag.label, value };
    });
  }

  #isServed(name: string): boolean {
    const { keep } = this.#settings;
    return keep === undefined || keep.has(name) || !LABELS_TO_CHOOSE.some((label) => label === name);
  }
}

function valuesOf<Item>(columns: readonly Column<Item>[]): LabelValues<Item> {
  // `map` makes an array without spare room: there are hundreds of thousands of them.
  return (server, item) => columns.map(({ value }) => value(item, server).toWellFormed());
}
