import type { StatusGroup } from "../../../prtg/status.ts";

export interface CourseSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly counts: Readonly<Record<StatusGroup, number>>;
}

/** The last hours, ascending, without empty minutes. */
export type StatusCourse = readonly CourseSample[];

export interface ChartPart {
  /** Time of the first value, milliseconds since the epoch by the server's clock. */
  readonly at: number;
  readonly low: number;
  readonly high: number;
}

/** Channels by id, without empty parts. */
export interface SensorChart {
  /** Milliseconds since the epoch by the server's clock. */
  readonly from: number;
  readonly to: number;
  readonly channels: ReadonlyMap<string, readonly ChartPart[]>;
}

export type ChartOutcome =
  | { readonly kind: "drawn"; readonly chart: SensorChart; readonly ageSeconds: number }
  /** No answer yet. The next request waits for the same one. */
  | { readonly kind: "waiting" }
  /** Too many requests to this server. */
  | { readonly kind: "too_many"; readonly retryAfterSeconds: number }
  /** Too many readers wait for servers. */
  | { readonly kind: "busy"; readonly retryAfterSeconds: number }
  | { readonly kind: "failed"; readonly reason: string };

export type PageChart = Exclude<ChartOutcome, { readonly kind: "busy" }>;
