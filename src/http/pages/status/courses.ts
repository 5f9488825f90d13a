/** What the pages draw: numbers only, so that nothing in them has to be redacted. */

/** Sensors by what their status asks of a person. */
export const COURSE_GROUPS = ["down", "acknowledged", "warning", "paused", "other", "up"] as const;
export type CourseGroup = (typeof COURSE_GROUPS)[number];

/** How many sensors of a server were in which statuses at one moment. */
export interface CourseSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly counts: Readonly<Record<CourseGroup, number>>;
}

/** The last hours of a server, ascending; a minute without a sample is missing. */
export type StatusCourse = readonly CourseSample[];

/** What a channel measured in one part of the window; both are the same where that was one value. */
export interface ChartPart {
  /** Of the first value in it, milliseconds since the epoch by the server's clock. */
  readonly at: number;
  readonly low: number;
  readonly high: number;
}

/** The measurements of one sensor in a window, by channel id; parts without a value are missing. */
export interface SensorChart {
  /** Milliseconds since the epoch by the server's clock. */
  readonly from: number;
  readonly until: number;
  readonly channels: ReadonlyMap<string, readonly ChartPart[]>;
}

/** What came of asking for a chart. */
export type ChartOutcome =
  | { readonly kind: "drawn"; readonly chart: SensorChart; readonly ageSeconds: number }
  /** The server has not answered yet; who asks again shares the request. */
  | { readonly kind: "waiting" }
  /** Charts of this server were asked for too often. */
  | { readonly kind: "too_many"; readonly retryAfterSeconds: number }
  /** Too many readers wait for servers already. */
  | { readonly kind: "busy"; readonly retryAfterSeconds: number }
  | { readonly kind: "failed"; readonly reason: string };

/** The outcomes that a page shows; the others are refusals. */
export type ShownChart = Exclude<ChartOutcome, { readonly kind: "busy" }>;
