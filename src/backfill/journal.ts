import { z } from "zod";
import { SERIES_TYPES } from "../prtg/series-types.ts";
import { RESOLUTIONS } from "./parameters.ts";

/*
 * What the journal of an output folder says. All times are milliseconds since the epoch.
 */

export const JOURNAL_FORMAT = "prtg-exporter backfill 1";

const texts = z.array(z.string()).readonly();
const time = z.int();
const count = z.int().nonnegative();

const parameters = z.strictObject({
  server: z.string(),
  from: z.string(),
  to: z.string(),
  resolution: z.enum(RESOLUTIONS),
  labels: texts,
  paths: texts,
  kinds: texts,
  tags: texts,
  configured: z.strictObject({ labels: z.string(), mapping: z.string() }).readonly(),
});

const range = { parameters, from: time, to: time, startedAt: time, sensors: count, series: count };

const finishedRun = z.strictObject({
  ...range,
  finishedAt: time,
  samples: count,
  /** Names in the order of time; none of a push. */
  files: texts,
  /** Of a push: ids of its sensors, values that the receiver refused for good, and why. */
  push: z.strictObject({ sensors: texts, rejected: count, message: z.string() }).optional(),
});

const unfinishedRun = z.strictObject({
  ...range,
  spans: z.array(z.strictObject({ type: z.enum(SERIES_TYPES), from: time, to: time })).readonly(),
  /** Ids of sensors that need not be read any more. */
  done: texts,
  /** What the values in the parts become, in all series of their channels. */
  samples: count,
  /** Bytes of the parts by the number of the day, in the order of time. */
  parts: z.array(z.tuple([z.int(), count]).readonly()).readonly(),
  /** What was put together of the first parts, in their order. */
  files: z.array(z.strictObject({ name: z.string(), samples: count })).readonly(),
});

export const journalSchema = z.strictObject({
  format: z.literal(JOURNAL_FORMAT),
  finished: z.array(finishedRun).readonly(),
  unfinished: unfinishedRun.nullable(),
});

export type FinishedRun = Readonly<z.infer<typeof finishedRun>>;
export type UnfinishedRun = Readonly<z.infer<typeof unfinishedRun>>;
export type Journal = Readonly<z.infer<typeof journalSchema>>;

export const EMPTY_JOURNAL: Journal = { format: JOURNAL_FORMAT, finished: [], unfinished: null };

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
