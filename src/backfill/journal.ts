import { z } from "zod";
import { SERIES_TYPES } from "../prtg/series-types.ts";
import type { StateFormat } from "../state/state-format.ts";
import { RESOLUTIONS } from "./parameters.ts";

/* The journal of an output folder. All times are milliseconds since the epoch. */

/** Plan, parts and progress of an unfinished run belong to the version of the journal. */
export const BACKFILL_FILE: StateFormat = { name: "prtg-exporter backfill", version: 1 };
export const JOURNAL_FORMAT = `${BACKFILL_FILE.name} ${BACKFILL_FILE.version}`;

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
  /** Ascending. Empty for a push. */
  files: texts,
  /** Sensor ids, rejected values, and the reason. */
  push: z.strictObject({ sensors: texts, rejected: count, message: z.string() }).optional(),
});

const unfinishedRun = z.strictObject({
  ...range,
  spans: z.array(z.strictObject({ type: z.enum(SERIES_TYPES), from: time, to: time })).readonly(),
  done: texts,
  /** Of all series. */
  samples: count,
  /** Bytes by number of the day, ascending. */
  parts: z.array(z.tuple([z.int(), count]).readonly()).readonly(),
  /** Of the first parts. */
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

/** Progress of a push after each acknowledgement. A kill repeats at most one request. */
export const pushCursorSchema = z.strictObject({
  days: count,
  rows: count,
  /** Accepted values. */
  samples: count,
  rejected: count,
  message: z.string(),
});

export type PushCursor = Readonly<z.infer<typeof pushCursorSchema>>;

export const PUSH_BEGIN: PushCursor = { days: 0, rows: 0, samples: 0, rejected: 0, message: "" };
