const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time series that the server keeps of each sensor, the finest first. */
export const SERIES_TYPES = ["live", "short", "medium", "long"] as const;
export type SeriesType = (typeof SERIES_TYPES)[number];

/** How far back each reaches from now, in milliseconds (specification, "Time series endpoints"). */
export const SERIES_WINDOW_MS: Readonly<Record<SeriesType, number>> = {
  live: 4 * HOUR,
  short: 2 * DAY,
  medium: 60 * DAY,
  long: 365 * DAY,
};

/**
 * The time that one row stands for, in milliseconds: live rows are single measurements, the others are averages.
 * The specification does not say; servers were seen to send hours in `medium`.
 */
export const SERIES_STEP_MS: Readonly<Record<SeriesType, number>> = {
  live: 0,
  short: 5 * MINUTE,
  medium: HOUR,
  long: DAY,
};
