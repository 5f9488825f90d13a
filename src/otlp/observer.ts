import type { Resolution } from "../sync/measurement.ts";

/** What points belong to: the measurements of a resolution, or the current state. */
export type Stream = Resolution | "state";

/** Hears what became of points; meant for counters. */
export interface OtlpObserver {
  /** The receiver has them. */
  delivered(stream: Stream, points: number): void;
  /** The receiver refused them for good, one by one or with their whole request. */
  rejected(stream: Stream, points: number): void;
  /** The receiver refused a whole request for good; `rejected` tells its points. */
  requestRefused(stream: Stream): void;
  /** A request could not be delivered for now. One that carried several resolutions is told for each. */
  attemptFailed(stream: Stream): void;
  /** Points that are never sent: nobody knows the channel any more, or the value is no finite number. */
  skipped(stream: Stream, points: number): void;
}
