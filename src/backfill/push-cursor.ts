import { z } from "zod";

const count = z.int().nonnegative();

/** How far a push is. Written after each acknowledgement, so that a kill repeats the values that were under way at most. */
export const pushCursorSchema = z.strictObject({
  /** Parts that are pushed, of those in the journal. */
  days: count,
  /** Rows that are pushed of the next one. */
  rows: count,
  /** Values that the receiver has. */
  samples: count,
  /** Values that it refused for good. */
  rejected: count,
  /** Why it refused some, in its own words. */
  message: z.string(),
});

export type PushCursor = Readonly<z.infer<typeof pushCursorSchema>>;

export const PUSH_BEGIN: PushCursor = { days: 0, rows: 0, samples: 0, rejected: 0, message: "" };
