/** Times of the week at which things may be paused; "none" stands for no schedule. */
export const SCHEDULES = [
  "none",
  "Every Day [0:00 - 8:00]",
  "Every Night [20:00 - 6:00]",
  "Saturdays",
  "Sundays",
  "Weekdays",
  "Weekdays Eight-To-Eight (8:00 - 20:00)",
  "Weekdays Nine-To-Five (9:00 - 17:00)",
  "Weekends",
] as const;
