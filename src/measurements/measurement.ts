import type { DeliveryFailure } from "../delivery/delivery-loop.ts";
import { SERIES_STEP_MS } from "../prtg/series-types.ts";

/** Each scan, or the server's averages over 5 min, 1 h and 24 h. */
export type Resolution = "live" | "short" | "medium" | "long";

/** A measurement, or the last one once more. */
export type RowKind = Resolution | "repeated";

export interface MeasurementRow {
  readonly sensorId: string;
  readonly at: number;
  readonly resolution: RowKind;
  /** Channel id (after the dot) and value in its display unit. */
  readonly values: readonly (readonly [channelId: string, value: number])[];
}

/**
 * The last millisecond that a row covers. An average covers the span that begins at its time: the specification does
 * not say which end it names.
 */
export function coverageEnd({ at, resolution }: Pick<MeasurementRow, "at" | "resolution">): number {
  return resolution === "repeated" ? at : at + Math.max(SERIES_STEP_MS[resolution] - 1, 0);
}

/** The end of a sensor's measurements that are sent, queued or acknowledged. */
export interface Coverage {
  /** The last covered millisecond. */
  readonly until: number;
  /** Of the last row. The span of an average ends then. */
  readonly kind: "scan" | "failed scan" | "average";
}

export function coverageOf(row: Pick<MeasurementRow, "at" | "resolution" | "values">): Coverage {
  const until = coverageEnd(row);
  if (row.resolution !== "live" && row.resolution !== "repeated") return { until, kind: "average" };
  return { until, kind: hasFailed(row) ? "failed scan" : "scan" };
}

/** A failed scan has values only in channels of the product. Lists show it, and series have a gap. */
export function hasFailed({ values }: Pick<MeasurementRow, "values">): boolean {
  return !values.some(([channelId]) => isMeasured(channelId));
}

/** Channels of the product, such as Downtime, have negative numbers. */
export function isMeasured(channelId: string): boolean {
  return !channelId.startsWith("-");
}

export type DeliveryOutcome =
  /** All rows are settled. */
  { readonly kind: "done" } | DeliveryFailure;

/** Rows that the receiver accepted, or rejected permanently. */
export interface SettledRows {
  readonly rows: readonly MeasurementRow[];
  /** Values of these rows that it rejected permanently. */
  readonly rejectedPoints: number;
  readonly message: string;
  /** True: no request was needed, because none of the values can be sent. */
  readonly isSkipped?: boolean;
}

export interface DeliveryControl {
  /** Ends the request under way. */
  readonly signal: AbortSignal;
  /** No further request begins. */
  readonly stop?: AbortSignal;
  /** Called after each request. Rows of one sensor are in the order of their time. */
  readonly onSettled: (settled: SettledRows) => void;
}

export interface MeasurementSink {
  /** Never rejects. Rows of one sensor are in the order of their time. */
  deliver(rows: readonly MeasurementRow[], control: DeliveryControl): Promise<DeliveryOutcome>;
  /** Call before history. Returns 0, or the milliseconds to wait. Default: no wait. */
  takeHistoryTurn?(): number;
}
