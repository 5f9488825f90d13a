/** Numbers only: nothing here needs redaction. */

/** By what a status asks of a person. */
export const COURSE_GROUPS = ["down", "acknowledged", "warning", "paused", "other", "up"] as const;
export type CourseGroup = (typeof COURSE_GROUPS)[number];

/** Sensors of a server by status, at one moment. */
export interface CourseSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly counts: Readonly<Record<CourseGroup, number>>;
}

/** The last hours, ascending, without empty minutes. */
export type StatusCourse = readonly CourseSample[];

/** Of one channel, in one part of the window; equal for a single value. */
export interface ChartPart {
  /** Of the first value, milliseconds since the epoch by the server's clock. */
  readonly at: number;
  readonly low: number;
  readonly high: number;
}

/** One sensor in a window, by channel id, without empty parts. */
export interface SensorChart {
  /** Milliseconds since the epoch by the server's clock. */
  readonly from: number;
  readonly until: number;
  readonly channels: ReadonlyMap<string, readonly ChartPart[]>;
}

export type ChartOutcome =
  | { readonly kind: "drawn"; readonly chart: SensorChart; readonly ageSeconds: number }
  /** No answer yet; the next question shares the request. */
  | { readonly kind: "waiting" }
  /** This server had too many. */
  | { readonly kind: "too_many"; readonly retryAfterSeconds: number }
  /** Too many readers wait for servers. */
  | { readonly kind: "busy"; readonly retryAfterSeconds: number }
  | { readonly kind: "failed"; readonly reason: string };

/** On a page; the others are refusals. */
export type PageChart = Exclude<ChartOutcome, { readonly kind: "busy" }>;
