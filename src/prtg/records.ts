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

type NodeFields = { readonly [Field in keyof NodeRecord]-?: TextOf<Exclude<NodeRecord[Field], undefined>> };

/** The facts of `NodeRecord`: each one has a row, and each text says how it is cleaned. */
export const NODE_FIELDS = {
  id: { text: "id" },
  kind: {},
  name: { text: "text" },
  parent: { text: "parts" },
  ancestors: { text: "parts" },
  status: {},
  statusSince: {},
  message: { text: "text" },
  lastUp: {},
  lastDown: {},
  type: { text: "text" },
  typeName: { text: "text" },
  priority: {},
  tags: { text: "parts" },
  favorite: {},
  host: { text: "text" },
  intervalSeconds: {},
  dependsOn: { text: "id" },
  summary: {},
} as const satisfies NodeFields;

type NodeField = keyof NodeRecord;
type FieldsOf<Text> = {
  [Field in NodeField]: (typeof NODE_FIELDS)[Field] extends { readonly text: Text } ? Field : never;
}[NodeField];

/** Fields with texts that are cleaned in one way. */
export function fieldsOf<const Text extends string>(text: Text): readonly FieldsOf<Text>[] {
  const rows: readonly (readonly [string, { readonly text?: string }])[] = Object.entries(NODE_FIELDS);
  const names = new Set(rows.filter(([, row]) => row.text === text).map(([name]) => name));
  return Object.keys(NODE_FIELDS).filter((name): name is FieldsOf<Text> => names.has(name));
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
