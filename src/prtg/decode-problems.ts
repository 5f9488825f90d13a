/** Problems in the server's responses that are counted and left out. */
export const DECODE_PROBLEMS = [
  "record",
  "status",
  "value",
  "timestamp",
  "summary",
  "lookup",
  "text",
  "secret",
  "duplicate",
] as const;
export type DecodeProblem = (typeof DECODE_PROBLEMS)[number];
