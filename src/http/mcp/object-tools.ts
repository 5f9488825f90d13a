import { z } from "zod";
import { STATUS_TOKENS } from "../../prtg/status.ts";
import type { ChannelReport, NodeReport } from "../pages/status/report.ts";
import { fitted, nameText, nextFrom, positionText } from "./bounds.ts";
import { splitId, unknownObject } from "./lookup.ts";
import {
  ageParts,
  argument,
  count,
  fromArgument,
  idArgument,
  listParts,
  ObjectItem,
  objectItem,
  serverArgument,
  time,
  UNTRUSTED_NOTE,
} from "./schemas.ts";
import { defineTool } from "./tool.ts";

/** Objects on a page of a search. */
const FOUND_A_PAGE = 50;
const MAX_TAGS = 20;

export const findObjects = defineTool({
  name: "find_objects",
  title: "Find probes, groups, devices and sensors",
  description: `Finds probes, groups, devices and sensors by words, status, priority, tag or probe. All conditions must hold. Problems come first, then the best matches. With a status, only sensors and other objects with a problem. ${UNTRUSTED_NOTE}`,
  input: z.strictObject({
    text: argument().default("").describe("Words in path, ID, address or tags, such as part of a name."),
    server: serverArgument(),
    status: z.array(z.enum(STATUS_TOKENS)).max(STATUS_TOKENS.length).default([]).describe("One of these statuses."),
    priority: z.array(z.int().min(1).max(5)).max(5).default([]).describe("One of these priorities, 5 is the highest."),
    tag: argument().default("").describe("A whole tag, own or inherited."),
    probe: argument().default("").describe("Part of the name of the probe."),
    from: fromArgument(),
  }),
  output: z.strictObject({ ...ageParts, ...listParts, objects: z.array(ObjectItem) }),
  run: async ({ text, server, status, priority, tag, probe, from }, call) => {
    const { source, links, signal } = call;
    const page = Math.floor(from / FOUND_A_PAGE) + 1;
    const question = { text, server, statuses: status, priorities: priority, tag, probe, page };
    const report = await call.turn(() => source.search(question, signal));
    const { total } = report;
    const items = from < total ? report.items.slice(Math.max(0, from - report.page.from)) : [];
    const servers = server === undefined ? [...new Set(items.map((item) => item.server))] : [server];
    const age = source.age(servers.length === 0 ? undefined : servers);
    const data = fitted(items, (shown) => ({
      ...age,
      total,
      next_from: nextFrom({ total, from, shown: shown.length }),
      objects: shown.map((node) => objectItem(node, links)),
    }));
    const position = { total, from, shown: data.objects.length };
    return { summary: positionText("objects", position, "add words, server, status, tag or probe"), data };
  },
});

const CHANNEL_STATES = z
  .enum(["served", "dropped", "paused", "never_measured", "stale", "no_value"])
  .describe("`served`, or why the channel has no value");

export const ChannelItem = z.strictObject({
  channel_id: z.string(),
  state: CHANNEL_STATES,
  value: z.number().nullable().describe("in `untrusted.unit`"),
  measured_at: time().nullable(),
  limits: z.record(z.string(), z.number()).describe("limits of PRTG, in the unit of the value"),
  untrusted: z.strictObject({ name: z.string(), unit: z.string() }),
});

export function channelItem(channel: ChannelReport): z.input<typeof ChannelItem> {
  const { channel_id, state, value, measured_at, limits, name, unit } = channel;
  return {
    ...{ channel_id, state, value, measured_at, limits },
    untrusted: { name: nameText(name), unit: nameText(unit) },
  };
}

export const getObject = defineTool({
  name: "get_object",
  title: "One object with its values",
  description: `Shows a probe, group, device or sensor: status, message, tags, limits, and its children (the worst first) or the last values of its channels. ID "0" is the root of a server. ${UNTRUSTED_NOTE}`,
  input: z.strictObject({
    id: idArgument("a probe, group, device or sensor"),
    server: serverArgument().describe("Name of the server. Default: the first server with this ID."),
    from: fromArgument(),
  }),
  output: z.strictObject({
    ...ageParts,
    object: ObjectItem,
    parent: z.strictObject({ id: z.string(), kind: z.string() }).nullable(),
    depends_on_id: z.string().nullable().describe("object on which it depends, if that is not its parent"),
    sensor: z
      .strictObject({
        interval_seconds: z.number().nullable().describe("scanning interval"),
        stale_after_seconds: z.number().nullable().describe("age at which values are withdrawn"),
        last_up_at: time().nullable(),
        last_down_at: time().nullable(),
      })
      .nullable()
      .describe("null if the object is no sensor"),
    children_total: count(),
    children: z.array(ObjectItem).describe("direct children, the worst first. Empty for a sensor"),
    channels_total: count(),
    channels: z.array(ChannelItem).describe("channels of a sensor"),
    next_from: listParts.next_from,
    untrusted: z.strictObject({
      host: z.string().nullable().describe("address of a device"),
      kind: z.string().nullable().describe("kind of a sensor as PRTG shows it"),
      tags: z.array(z.string()).describe("at most 20"),
    }),
  }),
  run: async ({ id: given, server, from }, call) => {
    const { source, links, signal } = call;
    const { id } = splitId(given, undefined);
    return call.turn(async () => {
      const report = await source.node({ server, id, from }, signal);
      if (report === undefined) throw await unknownObject(call, server, id);
      const { sensor, children, node } = report;
      const total = sensor?.channels_total ?? children.total;
      const list: readonly unknown[] = from < total ? (sensor?.channels ?? children.items) : [];
      const data = fitted(list, ({ length }) => ({
        ...source.age([node.server]),
        ...objectFacts(report),
        object: objectItem(node, links),
        children_total: sensor === null ? children.total : 0,
        children: sensor === null ? children.items.slice(0, length).map((child) => objectItem(child, links)) : [],
        channels_total: sensor?.channels_total ?? 0,
        channels: (sensor?.channels ?? []).slice(0, length).map(channelItem),
        next_from: nextFrom({ total, from, shown: length }),
      }));
      const shown = data.children.length + data.channels.length;
      const what = sensor === null ? "children" : "channels";
      const summary = `A ${node.kind}. ${positionText(what, { total, from, shown }, "ask for one of them")}`;
      return { summary, data };
    });
  },
});

function objectFacts({ ancestors, depends_on, sensor, host, tags }: NodeReport) {
  const above = ancestors.at(-1);
  return {
    parent: above === undefined ? null : { id: above.id, kind: above.kind },
    depends_on_id: depends_on?.id ?? null,
    sensor:
      sensor === null
        ? null
        : {
            interval_seconds: sensor.interval_seconds,
            stale_after_seconds: sensor.stale_after_seconds,
            last_up_at: sensor.last_up_at,
            last_down_at: sensor.last_down_at,
          },
    untrusted: {
      host: host === null ? null : nameText(host),
      kind: sensor === null ? null : nameText(sensor.kind_name || sensor.kind),
      tags: tags.slice(0, MAX_TAGS).map(nameText),
    },
  };
}
