import { z } from "zod";
import { count, instant, position } from "./report-parts.ts";
import { CHANGES } from "./status-order.ts";

/* What `/changes.json` answers. See report.ts. */

const Change = z.strictObject({
  at: instant().describe(
    "time of the change. For several objects: of the first one. For the end of an outage: of the last recovery before it",
  ),
  server: z.string().describe("the configured name of the server"),
  change: z
    .enum(CHANGES)
    .describe(
      "`down` includes partially down and disconnected. `recovered`: no longer down, unknown or acknowledged. `resumed`: no longer paused",
    ),
  kind: z.enum(["probe", "group", "device", "sensor"]).describe("kind of the changed objects"),
  count: count().describe(
    "number of changed objects. For the begin of an outage: sensors with the problem. For its end: sensors that recovered",
  ),
  object: z
    .strictObject({
      id: z.string().describe("its id"),
      kind: z.enum(["probe", "group", "device", "sensor"]).describe("its kind"),
      name: z.string().describe("its name as of the change"),
      path: z.string().describe("its path as of the change"),
      exists: z.boolean().describe("the exporter still knows it"),
    })
    .describe(
      "the changed object. If `count` is above 1: the nearest object above all of them. With `outage`: the object of the outage",
    ),
  before: z.string().nullable().describe("earlier name of a renamed object, earlier path of a moved one, or null"),
  outage: z
    .strictObject({
      part: z
        .enum(["begin", "during", "end"])
        .describe("`begin` and `end` of the outage, or sensors of it that changed between them"),
      problem: z.enum(["down", "unknown"]).describe("problem of the outage"),
      sensors: count().describe("sensors below the object at the begin, without paused ones"),
    })
    .nullable()
    .describe("outage to which the changes belong, or null"),
});
export type ChangeReport = z.infer<typeof Change>;

export const ChangesReport = z.strictObject({
  generated_at: instant().describe("time of this report"),
  since: instant()
    .nullable()
    .describe("the exporter knows all changes since then, of each of these servers. Null: a server has no poll yet"),
  servers: count().describe("servers that the reader sees"),
  changed: z
    .array(
      z.strictObject({
        change: z.enum(CHANGES).describe("as of an item"),
        count: count().describe("number of different objects: of sensors if a status changed"),
      }),
    )
    .describe("what changed at least once, on all pages"),
  total: count().describe("number of items on all pages"),
  page: position("item"),
  items: z.array(Change).describe("at most 100, newest first"),
});
export type ChangesReport = z.infer<typeof ChangesReport>;
