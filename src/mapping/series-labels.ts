import { hasWholeCharacters } from "../lib/text-units.ts";
import type { TreeNode } from "../model/tree.ts";
import { LABELS_TO_CHOOSE, type LabelSettings, tagValue, WIDE_LABELS } from "./label-settings.ts";
import {
  CHANNEL_LABELS,
  type MetricFamily,
  SENSOR_LABELS,
  TREE_FAMILIES,
  type TreeFamilyName,
} from "./metric-table.ts";

/** What a channel adds to the labels of its sensor. */
export interface ChannelIdentity {
  readonly channelId: string;
  readonly name: string;
  /** Empty where unknown. */
  readonly unit: string;
}

type Columns = readonly number[];

/**
 * Label values of all series about the tree, and the families as they are served: the wide ones of the metric table, or
 * what the configuration makes of them. Text is served as it came: escaping is the renderer's business, and a lone
 * surrogate, which no encoding can carry, becomes U+FFFD.
 */
export class SeriesLabels {
  /** The metric table with the labels that are served. */
  readonly families: Readonly<Record<TreeFamilyName, MetricFamily>>;
  /** False when some of the wide labels are left out, and info series carry them instead. */
  readonly isWide: boolean;
  readonly #settings: LabelSettings;
  readonly #sensorColumns: Columns;
  readonly #channelColumns: Columns;
  readonly #mappedColumns: Columns;
  readonly #leftOut: readonly (typeof SENSOR_LABELS)[number][];
  /** Those of the object before, of which nearly all are the same, mostly. */
  #last: readonly string[] = [];

  constructor(settings: LabelSettings = WIDE_LABELS) {
    const isKept = (name: string) => settings.keep?.has(name) !== false || !isOptional(name);
    const columns = (names: readonly string[]) => [0, ...names.flatMap((name, at) => (isKept(name) ? [at + 1] : []))];
    this.#settings = settings;
    this.#sensorColumns = columns(SENSOR_LABELS);
    this.#channelColumns = columns(CHANNEL_LABELS);
    this.#mappedColumns = this.#channelColumns.filter((column) => CHANNEL_LABELS[column - 1] !== "unit");
    this.#leftOut = SENSOR_LABELS.filter((name) => !isKept(name));
    this.isWide = LABELS_TO_CHOOSE.every(isKept);
    const served = Object.entries(TREE_FAMILIES).map(([key, family]) => [key, this.#served(key, family)] as const);
    this.families = Object.fromEntries(served) as Record<TreeFamilyName, MetricFamily>;
  }

  /** A family whose labels are `server`, C without `unit`, and `own` ones, as it is served. */
  mappedFamily<Family extends MetricFamily>(family: Family, own: readonly string[]): Family {
    const names = this.#mappedColumns.map((column) => (column === 0 ? "server" : CHANNEL_LABELS[column - 1]));
    return { ...family, labels: [...this.#names([...names, ...this.#tagLabels()]), ...own] };
  }

  /** `server` and S. */
  sensor(server: string, sensor: TreeNode): readonly string[] {
    const wide = [server, sensor.id, sensor.probe, sensor.group, sensor.device, sensor.name, sensor.path];
    return this.#pick(wide, this.#sensorColumns, sensor);
  }

  /** `server` and C. */
  channel(server: string, sensor: TreeNode, channel: ChannelIdentity): readonly string[] {
    return this.#pick(wideChannel(server, sensor, channel), this.#channelColumns, sensor);
  }

  /** `server`, C without `unit`, and the values of `own` labels. */
  mappedChannel(server: string, sensor: TreeNode, channel: ChannelIdentity, own: readonly string[]): readonly string[] {
    return [...this.#pick(wideChannel(server, sensor, channel), this.#mappedColumns, sensor), ...wellFormed(own)];
  }

  /** `server`, all of C and `metric`. */
  channelInfo(server: string, sensor: TreeNode, channel: ChannelIdentity, metric: string): readonly string[] {
    return wellFormed([...wideChannel(server, sensor, channel), metric]);
  }

  sensorInfo(server: string, sensor: TreeNode): readonly string[] {
    const { probe, group, device, name, path } = sensor;
    const places: Readonly<Record<string, string>> = { probe, group, device, sensor: name, path };
    return wellFormed([
      server,
      sensor.id,
      sensor.deviceId,
      sensor.type,
      sensor.typeName,
      sensor.priority === undefined ? "" : String(sensor.priority),
      sensor.tags.join(","),
      sensor.favorite === undefined ? "" : String(sensor.favorite),
      ...this.#leftOut.map((label) => places[label] ?? ""),
    ]);
  }

  #pick(wide: readonly string[], columns: Columns, sensor: TreeNode): readonly string[] {
    const { fromTags } = this.#settings;
    const kept = columns.length === wide.length ? wide : columns.map((column) => wide[column] ?? "");
    const tags = fromTags.length === 0 ? [] : [...sensor.tags, ...sensor.inheritedTags];
    const all = fromTags.length === 0 ? kept : [...kept, ...fromTags.map((label) => tagValue(label, tags))];
    this.#last = wellFormed(all, this.#last);
    return this.#last;
  }

  #served(key: string, family: MetricFamily): MetricFamily {
    return { ...family, labels: this.#names(this.#chosen(key, family)) };
  }

  #chosen(key: string, { labels }: MetricFamily): readonly string[] {
    if (key === "sensorInfo") return [...labels, ...this.#leftOut];
    if (key === "channelInfo") return labels;
    const own = [CHANNEL_LABELS, SENSOR_LABELS].find((names) => names.every((name) => labels.includes(name)));
    if (own === undefined) return labels;
    const columns = own === CHANNEL_LABELS ? this.#channelColumns : this.#sensorColumns;
    const rest = labels.slice(own.length + 1);
    return [...columns.map((column) => labels[column] ?? ""), ...this.#tagLabels(), ...rest];
  }

  #tagLabels(): readonly string[] {
    return this.#settings.fromTags.map(({ label }) => label);
  }

  #names(names: readonly (string | undefined)[]): readonly string[] {
    return names.map((name = "") => this.#settings.rename.get(name) ?? name);
  }
}

function isOptional(name: string): boolean {
  return LABELS_TO_CHOOSE.some((label) => label === name);
}

function wideChannel(server: string, sensor: TreeNode, { channelId, name, unit }: ChannelIdentity): readonly string[] {
  return [
    server,
    sensor.id,
    channelId,
    sensor.probe,
    sensor.group,
    sensor.device,
    sensor.name,
    name,
    unit,
    // Ends with the sensor, as in S, so that the two join on it.
    sensor.path,
  ];
}

/** The labels of a channel without its names. */
export function channelIdLabels(server: string, sensorId: string, channelId: string): readonly string[] {
  return wellFormed([server, sensorId, channelId]);
}

export function nodeLabels(server: string, node: TreeNode): readonly string[] {
  return wellFormed([server, node.id, node.kind, node.path]);
}

export function deviceInfoLabels(server: string, device: TreeNode): readonly string[] {
  return wellFormed([
    server,
    device.id,
    device.name,
    device.host ?? "",
    device.type,
    device.tags.join(","),
    device.path,
  ]);
}

/** `known`: values that are well-formed, among which these may be, each at its place: to compare them takes less time. */
function wellFormed(values: readonly string[], known: readonly string[] = []): readonly string[] {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? "";
    if (value !== known[at] && !hasWholeCharacters(value)) return values.map((each) => each.toWellFormed());
  }
  return values;
}
