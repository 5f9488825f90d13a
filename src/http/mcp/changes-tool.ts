import { z } from "zod";
import type { ChangeReport } from "../pages/status/changes-report.ts";
import { fitted, nameText, nextFrom, pathText, positionText } from "./bounds.ts";
import type { PageLinks } from "./page-links.ts";
import {
  ageParts,
  count,
  counts,
  fromArgument,
  listParts,
  pageUrl,
  serverArgument,
  time,
  UNTRUSTED_NOTE,
} from "./schemas.ts";
import { defineTool } from "./tool.ts";

/** Changes in one report. */
const PAGE_SIZE = 50;
const MINUTE_MS = 60_000;
/** The exporter remembers four hours. */
const MAX_MINUTES = 240;

const ChangeItem = z.strictObject({
  at: time(),
  server: z.string(),
  change: z
    .string()
    .describe("down, unknown, acknowledged, recovered, paused, resumed, renamed, moved, added or removed"),
  kind: z.string().describe("kind of the changed objects"),
  count: count().describe("number of changed objects"),
  object: z
    .strictObject({ id: z.string(), kind: z.string(), exists: z.boolean() })
    .describe("the changed object. With several: the nearest object above all of them"),
  outage: z
    .strictObject({ part: z.enum(["begin", "during", "end"]), problem: z.string(), sensors: count() })
    .nullable()
    .describe("outage to which the changes belong"),
  page_url: pageUrl().nullable(),
  untrusted: z.strictObject({
    name: z.string(),
    path: z.string(),
    before: z.string().nullable().describe("earlier name of a renamed object, earlier path of a moved one"),
  }),
});

export const getChanges = defineTool({
  name: "get_changes",
  title: "What changed",
  description: `Lists what changed in the last four hours, the newest first: down, recovered, acknowledged, paused, renamed, moved, added, removed. Changes of the same minute below one object are one item, and an outage begins and ends with one item. ${UNTRUSTED_NOTE}`,
  input: z.strictObject({
    server: serverArgument(),
    minutes: z.int().min(1).max(MAX_MINUTES).default(60).describe("Age of the oldest change. At most 240."),
    from: fromArgument(),
  }),
  output: z.strictObject({
    ...ageParts,
    ...listParts,
    known_since: time().nullable().describe("earlier changes are unknown. Null: a server has no poll yet"),
    changed: counts().describe("different objects by change, on the whole list"),
    changes: z.array(ChangeItem),
    page_url: pageUrl(),
  }),
  run: async ({ server, minutes, from }, call) => {
    const { source, links, signal } = call;
    const page = Math.floor(from / PAGE_SIZE) + 1;
    const question = { server, withinMs: minutes * MINUTE_MS, size: PAGE_SIZE, page };
    const report = await call.turn(() => source.changes(question, signal));
    const { total } = report;
    const items = from < total ? report.items.slice(Math.max(0, from - report.page.from)) : [];
    const data = fitted(items, (shown) => ({
      ...source.age(server === undefined ? undefined : [server]),
      total,
      next_from: nextFrom({ total, from, shown: shown.length }),
      known_since: report.since,
      changed: Object.fromEntries(report.changed.map((each) => [each.change, each.count])),
      changes: shown.map((change) => changeItem(change, links)),
      page_url: links.changes(server),
    }));
    const position = { total, from, shown: data.changes.length };
    return { summary: positionText("changes", position, "give server or fewer minutes"), data };
  },
});

function changeItem(change: ChangeReport, links: PageLinks): z.input<typeof ChangeItem> {
  const { at, server, change: what, kind, object, before, outage } = change;
  const { id, exists, name, path } = object;
  return {
    ...{ at, server, change: what, kind, count: change.count, outage },
    object: { id, kind: object.kind, exists },
    page_url: exists ? links.node({ server, id }) : null,
    untrusted: { name: nameText(name), path: pathText(path), before: before === null ? null : pathText(before) },
  };
}
