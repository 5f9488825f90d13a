import type { StatusToken } from "./status.ts";

export type NodeKind = "probe" | "group" | "device" | "sensor";

/** Children before parents: a parent that is created between two lists is then in the later one. */
export const READING_ORDER = ["sensor", "device", "group", "probe"] as const satisfies readonly NodeKind[];

export interface Reference {
  readonly id: string;
  readonly name?: string | undefined;
  /** Lower case, without `REFERENCED_`: root, probe, group, device, sensor, user ... */
  readonly kind?: string | undefined;
}

export interface StatusSummary {
  readonly counts: ReadonlyMap<StatusToken, number>;
  readonly total: number | undefined;
}

export interface NodeRecord {
  readonly id: string;
  readonly kind: NodeKind;
  readonly name: string;
  readonly parent?: Reference | undefined;
  /** From the root to the object or its parent. `undefined` if the list lacks them. */
  readonly ancestors?: readonly Reference[] | undefined;
  readonly status: StatusToken;
  readonly statusSince?: number | undefined;
  /** Sensors only: one line about the status. */
  readonly message?: string | undefined;
  /** Sensors only. Milliseconds since the epoch. */
  readonly lastUp?: number | undefined;
  /** Sensors only. Milliseconds since the epoch. */
  readonly lastDown?: number | undefined;
  /** For example `ping`, without a version suffix. */
  readonly type: string;
  /** For people, for example `Ping v2`. */
  readonly typeName: string;
  readonly priority?: number | undefined;
  readonly tags: readonly string[];
  readonly favorite?: boolean | undefined;
  readonly host?: string | undefined;
  /** `undefined` unless requested and present. */
  readonly intervalSeconds?: number | undefined;
  /** Id of the object that it depends on. Empty: its parent only. `undefined` unless requested and present. */
  readonly dependsOn?: string | undefined;
  /** Sensors below. `undefined` unless requested and present. */
  readonly summary?: StatusSummary | undefined;
}

/**
 * How `TextBounds` cleans a value: it cuts a `text` and drops a record with a credential in an `id`. It cleans tags and
 * references by name.
 */
type TextOf<Value> = [string] extends [Value]
  ? { readonly text: "text" | "id" }
  : [Value] extends [readonly object[] | readonly string[] | Reference]
    ? { readonly text: "parts" }
    : { readonly text?: undefined };

/** Parts of lists of nodes that the server adds on request, in the order of requests. */
export const NODE_SECTIONS = [
  {
    name: "intervalgroup",
    /** The collector that requests it. */
    reader: "tree",
    /** Kinds of objects that have it. */
    kinds: READING_ORDER,
    /** The option below `metrics` that needs it, or names the kinds of objects that need it. `undefined`: always. */
    option: undefined,
    /** The consequence if the server refuses it. */
    without: "prtg_sensor_interval_seconds is missing",
  },
  {
    name: "scheduledependency",
    reader: "tree",
    kinds: READING_ORDER,
    option: "dependencyInfo",
    without: "prtg_dependency_info is missing",
  },
  {
    name: "sensor_status_summary",
    reader: "status",
    kinds: ["device", "group", "probe"],
    option: "nodeSensors",
    without: "prtg_node_sensors is missing",
  },
] as const;

/** Parts of lists of channels, as above. */
export const CHANNEL_SECTIONS = [
  { name: "alerting", without: "limits are missing" },
  { name: "values", without: "channel states are missing" },
] as const;

export type NodeSection = (typeof NODE_SECTIONS)[number];
export type Section = (NodeSection | (typeof CHANNEL_SECTIONS)[number])["name"];
/** The kinds of objects for which the configuration needs a section. */
export type WantedSections = ReadonlyMap<Section, ReadonlySet<NodeKind>>;

interface FieldRow {
  /** `NodeState` keeps the fact beside the tree, because some lists lack it. */
  readonly inState?: true;
  /** The section that brings the fact. */
  readonly section?: NodeSection["name"];
}

/** The facts of `NodeRecord`: each one has a row, and each text says how it is cleaned. */
export const NODE_FIELDS = {
  id: { text: "id" },
  kind: {},
  name: { text: "text" },
  parent: { text: "parts" },
  ancestors: { text: "parts" },
  status: { inState: true },
  statusSince: { inState: true },
  message: { text: "text", inState: true },
  lastUp: { inState: true },
  lastDown: { inState: true },
  type: { text: "text" },
  typeName: { text: "text" },
  priority: {},
  tags: { text: "parts" },
  favorite: {},
  host: { text: "text" },
  intervalSeconds: { inState: true, section: "intervalgroup" },
  dependsOn: { text: "id", inState: true, section: "scheduledependency" },
  summary: { inState: true, section: "sensor_status_summary" },
} as const satisfies {
  readonly [Field in keyof NodeRecord]-?: FieldRow & TextOf<Exclude<NodeRecord[Field], undefined>>;
};

type Rows = typeof NODE_FIELDS;
export type FieldsWith<Key extends string, Value> = {
  [Field in keyof Rows]: Rows[Field] extends { readonly [Name in Key]: Value } ? Field : never;
}[keyof Rows];

export type StateFact = FieldsWith<"inState", true>;

/** Fields whose row has this value. */
export function fieldsWith<const Key extends string, const Value>(
  key: Key,
  value: Value,
): readonly FieldsWith<Key, Value>[] {
  const rows = new Map(Object.entries(NODE_FIELDS).map(([name, row]) => [name, new Map(Object.entries(row))]));
  const matches = (name: string): name is FieldsWith<Key, Value> => rows.get(name)?.get(key) === value;
  return Object.keys(NODE_FIELDS).filter(matches);
}

export interface ChannelRecord {
  readonly sensorId: string;
  /** The part of `2490.1` after the first dot. Can be negative. */
  readonly channelId: string;
  readonly name: string;
  readonly unit: string;
  /** As PRTG shows it, in `unit`. `undefined` if null, absent or unreadable. */
  readonly value?: number | undefined;
  /** Milliseconds since the epoch. `undefined` if never measured. */
  readonly measuredAt?: number | undefined;
  /** `undefined` if the record does not show limits, which is not the same as none. */
  readonly limits?: ChannelLimits | undefined;
  /** Id or name of the lookup. Empty: none. `undefined`: unknown. */
  readonly lookup?: string | undefined;
}

export interface LookupDefinition {
  readonly id: string;
  readonly name: string;
  readonly entries: readonly LookupEntry[];
}

/** A text for a range of values, or for bits. */
export type LookupEntry =
  | { readonly kind: "range"; readonly from: number; readonly to: number; readonly text: string }
  | { readonly kind: "bits"; readonly bits: number; readonly text: string };

export const LIMIT_NAMES = ["max_error", "max_warning", "min_warning", "min_error"] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
/** In the display unit. */
export type ChannelLimits = { readonly [name in LimitName]?: number };

/** An array, or something that makes its items on demand. */
export interface Items<Item> extends Iterable<Item> {
  readonly length: number;
  values(): IteratorObject<Item, undefined>;
}

export type ChannelRecords = Items<ChannelRecord>;
export type ChannelList = ListResult<ChannelRecord, ChannelRecords>;

export interface ListResult<Item, List = readonly Item[]> {
  readonly items: List;
  /** False if the list moved twice: a missing object proves nothing. */
  readonly complete: boolean;
  /** Unreadable records. */
  readonly skipped: number;
  /** Estimated memory. */
  readonly bytes?: number | undefined;
  /** Objects that may exist without being listed: unreadable records. Infinity if no record is readable. */
  readonly hidden?: number;
  /** Requested sections that the server refuses. */
  readonly refused?: readonly string[];
}

/**
 * Whether missing objects are gone.
 * @param missing How many are missing.
 */
export function provesAbsence(
  { complete, hidden = 0 }: Pick<ListResult<unknown>, "complete" | "hidden">,
  missing: number,
): boolean {
  return complete && missing > hidden;
}

export interface TimeSeries {
  /** Ascending, each time once, without empty rows. */
  readonly rows: readonly TimeSeriesRow[];
  /** Start or end of a gap, milliseconds since the epoch, ascending. */
  readonly gaps: readonly number[];
  /** Unreadable rows. */
  readonly skipped: number;
}

export interface TimeSeriesRow {
  readonly at: number;
  readonly values: readonly (readonly [channelId: string, value: number])[];
}

export interface LicenseUse {
  readonly used: number | undefined;
  readonly max: number | undefined;
  readonly expiresAt: number | undefined;
}
