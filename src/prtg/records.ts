import type { StatusToken } from "./status.ts";

/** The kinds of tree nodes that lists return; channels have a record of their own. */
export type NodeKind = "probe" | "group" | "device" | "sensor";

/**
 * Lists of nodes are read children before their parents: what is created between two lists then has its parent in the
 * later one, and does not look like an orphan.
 */
export const READING_ORDER = ["sensor", "device", "group", "probe"] as const satisfies readonly NodeKind[];

/** A reference to another object; `restricted` references still carry id and name. */
export interface Reference {
  readonly id: string;
  readonly name: string | undefined;
  /** Lower-case kind without the `REFERENCED_` prefix: root, probe, group, device, sensor, user ...; undefined when absent. */
  readonly kind: string | undefined;
}

/** How many sensors are in each status; only tokens that the server sent. */
export interface StatusSummary {
  readonly counts: ReadonlyMap<StatusToken, number>;
  /** The server's own total, undefined when absent. */
  readonly total: number | undefined;
}

/** A probe, group, device or sensor, normalised from whichever spelling the server used. */
export interface NodeRecord {
  readonly id: string;
  readonly kind: NodeKind;
  /** Empty string when the server sent none. */
  readonly name: string;
  readonly parent: Reference | undefined;
  /** References from the root to the object itself or its parent; undefined when the list does not carry them. */
  readonly ancestors: readonly Reference[] | undefined;
  readonly status: StatusToken;
  /** Milliseconds since the epoch. */
  readonly statusSince: number | undefined;
  /** Sensors only: what the server says about the status, as one line of text; undefined where it says nothing. */
  readonly message: string | undefined;
  /** Sensors only: when it was last up; milliseconds since the epoch. */
  readonly lastUp: number | undefined;
  /** Sensors only: when it was last down; milliseconds since the epoch. */
  readonly lastDown: number | undefined;
  /** Type of the object, for example `ping` or `paessler.snmp.cpu_usage_sensor`; numeric version suffix removed. */
  readonly type: string;
  /** Human name of the type, for example `Ping v2`. */
  readonly typeName: string;
  /** 1 to 5. */
  readonly priority: number | undefined;
  readonly tags: readonly string[];
  readonly favorite: boolean | undefined;
  /** Devices only. */
  readonly host: string | undefined;
  /** Scanning interval; undefined unless asked for and present. */
  readonly intervalSeconds: number | undefined;
  /** Counts of the sensors below; undefined unless asked for and present. */
  readonly summary: StatusSummary | undefined;
}

/** A channel with its last measurement, normalised from both shapes (tree node and info record). */
export interface ChannelRecord {
  readonly sensorId: string;
  /** The part after the first dot of `2490.1`; can be negative. */
  readonly channelId: string;
  readonly name: string;
  /** Display unit as the server spells it; empty when absent. */
  readonly unit: string;
  /** The number the product's own UI shows, in `unit`; undefined when null, absent or not a number. */
  readonly value: number | undefined;
  /** Time of the last measurement, milliseconds since the epoch; undefined when never measured. */
  readonly measuredAt: number | undefined;
  /** Limits where the record carries them; undefined when it does not (not the same as none set). */
  readonly limits: ChannelLimits | undefined;
  /**
   * Id or name of the lookup that has texts for the values. Empty where the record says that there is none; undefined
   * when it does not say.
   */
  readonly lookup?: string | undefined;
}

/** Texts for the values of channels that stand for states. */
export interface LookupDefinition {
  readonly id: string;
  /** Empty string when the server sent none. */
  readonly name: string;
  /** Those that could be read, in the order of the server. */
  readonly entries: readonly LookupEntry[];
}

/** A text for the values `from` to `to`, which is often one value, or for the bits that are set in a value. */
export type LookupEntry =
  | { readonly kind: "range"; readonly from: number; readonly to: number; readonly text: string }
  | { readonly kind: "bits"; readonly bits: number; readonly text: string };

export const LIMIT_NAMES = ["max_error", "max_warning", "min_warning", "min_error"] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
/** The limits that are set, in the display unit of the value. */
export type ChannelLimits = { readonly [name in LimitName]?: number };

/** The outcome of reading a whole list. */
export interface ListResult<Item> {
  /** Merged by id: each object once. */
  readonly items: readonly Item[];
  /** False when the list moved under the reader twice: what is missing then proves nothing. */
  readonly complete: boolean;
  /** Records that could not be decoded; counted, never thrown. */
  readonly skipped: number;
  /** Memory that the items take, by estimate; absent: next to none. */
  readonly bytes?: number | undefined;
  /**
   * How many objects the list may have without showing them: those whose records cannot be read. Infinity where no record at
   * all can be read; absent: none.
   */
  readonly hidden?: number;
  /** Sections that were asked for and that the server refuses to include; absent: none. */
  readonly refused?: readonly string[];
}

/** Whether objects are gone because the list does not show them; `missing`: how many that are. */
export function provesAbsence({ complete, hidden = 0 }: ListResult<unknown>, missing: number): boolean {
  return complete && missing > hidden;
}

/** The measurements of one sensor over some time, or the server's averages of them. */
export interface TimeSeries {
  /** Ascending by time, each time once; rows without any value are left out. */
  readonly rows: readonly TimeSeriesRow[];
  /** Times at which a gap begins or ends, milliseconds since the epoch, ascending. */
  readonly gaps: readonly number[];
  /** Rows that could not be decoded; counted, never thrown. */
  readonly skipped: number;
}

export interface TimeSeriesRow {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Channel id (the part after the dot) and value in its display unit; channels without a value are left out. */
  readonly values: readonly (readonly [channelId: string, value: number])[];
}

/** What the license allows, as far as the server tells. */
export interface LicenseUse {
  readonly used: number | undefined;
  readonly max: number | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}
