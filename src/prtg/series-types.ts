const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const SERIES_TYPES = ["live", "short", "medium", "long"] as const;
export type SeriesType = (typeof SERIES_TYPES)[number];

/** Milliseconds (specification, "Time series endpoints"). */
export const SERIES_WINDOW_MS: Readonly<Record<SeriesType, number>> = {
  live: 4 * HOUR,
  short: 2 * DAY,
  medium: 60 * DAY,
  long: 365 * DAY,
};

/** Time that a row covers, milliseconds. The specification does not say. Servers send hours in `medium`. */
export const SERIES_STEP_MS: Readonly<Record<SeriesType, number>> = {
  live: 0,
  short: 5 * MINUTE,
  medium: HOUR,
  long: DAY,
};
