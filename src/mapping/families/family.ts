import type { TreeNode } from "../../model/tree.ts";

/** A metric family as it is served. */
export interface MetricFamily {
  readonly name: string;
  readonly type: "gauge" | "counter" | "histogram";
  /** Constant per name. Says where in the API the value comes from. */
  readonly help: string;
  /** In the order of the page. `server` is the configured name of the PRTG server. */
  readonly labels: readonly string[];
}

/** Columns of the labels that name the object of a series. The configuration does not rename them. -1: no such label. */
export interface KeyColumns {
  readonly kind: "sensor" | "node" | "device";
  readonly server: number;
  readonly id: number;
  readonly channelId: number;
}

/** By precedence. */
const ID_LABELS = [
  ["sensor_id", "sensor"],
  ["id", "node"],
  ["device_id", "device"],
] as const;

/** `undefined`: the series of the family are about no object. */
export function keyColumns({ labels }: Pick<MetricFamily, "labels">): KeyColumns | undefined {
  for (const [name, kind] of ID_LABELS) {
    const id = labels.indexOf(name);
    if (id !== -1) return { kind, server: labels.indexOf("server"), id, channelId: labels.indexOf("channel_id") };
  }
  return undefined;
}

/** The object of a series. Empty texts for labels that the family lacks. */
export function keyOf(
  columns: KeyColumns | undefined,
  labels: readonly string[],
): { readonly [Key in "server" | "id" | "channelId"]: string } {
  const { server = -1, id = -1, channelId = -1 } = columns ?? {};
  return { server: labels[server] ?? "", id: labels[id] ?? "", channelId: labels[channelId] ?? "" };
}

/** Experimental families may change in any release. */
export type Stability = "stable" | "experimental";

/** Label names and values that several families share. The label `server` precedes them. */
export interface LabelSet<Item> {
  /** In the order of the page. */
  readonly values: Readonly<Record<string, (item: Item) => string>>;
  /** The section `labels` of the configuration omits some of these labels and adds others from the tags of this sensor. */
  readonly configurableFor?: (item: Item) => TreeNode;
  /** These labels include the ones that the configuration omits from other series of this sensor. */
  readonly infoOf?: (item: Item) => TreeNode;
}

/** An object with series. `row` is unique among the objects of its kind. */
export interface Subject {
  readonly row: number;
}

/**
 * The last label of a family. `values`: the object has a series for each value. `textOf`: it has one series, whose label value
 * changes with the object.
 */
export type LastLabel<Item, About> =
  | { readonly name: string; readonly values: readonly string[]; readonly textOf?: undefined }
  | {
      readonly name: string;
      readonly textOf: (item: Item, about: About) => string;
      readonly values?: undefined;
    };

/** The samples of a family. `About` is what else decides about them: the configuration, or how rules serve a channel. */
export interface Samples<Item extends Subject, About> {
  /** The facts (bits) of the object that decide about value and expiry. */
  readonly facts: number;
  readonly lastLabel?: LastLabel<Item, About>;
  /** Whether the object has the series. A series keeps its slot while it has no value. Default: yes. */
  readonly has?: (item: Item, about: About, last: string) => boolean;
  /** A relabelled series frees its slot and its line on the page. Default: it keeps them. */
  readonly freesSlotOnRelabel?: true;
  /** OTLP pushes each measurement with its own time, and not the current value. See `Projector.markMeasured`. */
  readonly isMeasured?: true;
  /** `undefined`: no sample. */
  readonly value: (item: Item, about: About, last: string) => number | undefined;
  /** The exporter withdraws the sample at this time (monotonic ms) unless a later change confirms it. */
  readonly expiresAt: (item: Item, about: About, last: string) => number;
}

/** A family about PRTG objects: name, labels, value and expiry in one declaration. All are gauges. */
export interface Family<Item extends Subject, About = undefined> extends Samples<Item, About> {
  readonly name: string;
  readonly help: string;
  /** Default: stable. */
  readonly stability?: Stability;
  readonly labels: LabelSet<Item>;
  /** Key below `metrics`, in camelCase. The exporter serves the family only if the key is on, or names kinds of objects. */
  readonly option?: string;
}
