import { SERIES_STEP_MS } from "../prtg/series-types.ts";

/** How fine a measurement is: each scan of the sensor, or the server's averages over 5 min, 1 h and 24 h. */
export type Resolution = "live" | "short" | "medium" | "long";

/** What the values of a row are: a measurement, or the last one once more. */
export type RowKind = Resolution | "repeated";

/** All channels of one sensor at one time. Travels in one request, so that a timestamp is never sent in part. */
export interface MeasurementRow {
  readonly sensorId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly resolution: RowKind;
  /** Channel id (the part after the dot) and value in its display unit; channels without a value are left out. */
  readonly values: readonly (readonly [channelId: string, value: number])[];
}

/**
 * The last millisecond that a row stands for. A measurement stands for its own moment; an average for the span that
 * begins at its time, which is our reading: the specification does not say which end it names.
 */
export function coverageEnd({ at, resolution }: Pick<MeasurementRow, "at" | "resolution">): number {
  return resolution === "repeated" ? at : at + Math.max(SERIES_STEP_MS[resolution] - 1, 0);
}

/** Servers give times in whole seconds: only the end of an average lies just before one. */
export function isEndOfAverage(covered: number): boolean {
  return covered % 1000 === 999;
}

/** What became of rows that were sent. */
export type DeliveryOutcome =
  /** The receiver has them; `rejectedPoints` of them it refused for good, and says why. */
  | { readonly kind: "accepted"; readonly rejectedPoints: number; readonly message: string }
  /** The receiver refuses the request for good (400, 413 ...): sending it again is of no use. */
  | { readonly kind: "refused"; readonly message: string }
  /** It could not be delivered now. */
  | { readonly kind: "failed"; readonly retryAfterMs: number | undefined; readonly message: string };

/** Where measurements go. */
export interface MeasurementSink {
  /** Sends rows, oldest first; never rejects. Rows of one sensor come in the order of their time. */
  deliver(rows: readonly MeasurementRow[], signal: AbortSignal): Promise<DeliveryOutcome>;
  /** Before history is delivered: takes a turn and returns 0, or returns the milliseconds to wait. Left out: no wait. */
  takeHistoryTurn?(): number;
}
