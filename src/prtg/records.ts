import type { StatusToken } from "./status.ts";

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

/** Parts of lists of channels that the server adds on request, in the order of requests. */
export const CHANNEL_SECTIONS = [
  { name: "alerting", without: "limits are missing" },
  { name: "values", without: "channel states are missing" },
] as const;

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
