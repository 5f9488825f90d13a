import { z } from "zod";
import type { ChannelReport } from "../pages/status/report.ts";
import { fitted, lineTexts, messageText, nameText, nextFrom, pathText } from "./bounds.ts";
import { channelsOf } from "./channels.ts";
import { splitId, unknownObject } from "./lookup.ts";
import { ChannelItem, channelItem } from "./object-tools.ts";
import {
  ageParts,
  channelArgument,
  count,
  idArgument,
  listParts,
  pageUrl,
  prtgUrl,
  serverArgument,
  time,
  UNTRUSTED_NOTE,
} from "./schemas.ts";
import { defineTool, type ToolCall, ToolError } from "./tool.ts";

const MAX_SERIES_TEXT = 4_000;
/** IDs of channels in an error. */
const MAX_IDS = 20;

const WHY: Readonly<Record<ChannelReport["state"], string>> = {
  served: "The channel has a current value, which the metrics page serves.",
  dropped: "A rule of the configuration (mapping.rules) drops the channel.",
  paused: "The sensor is paused, so it has no current value.",
  never_measured: "The exporter knows no measurement of the channel.",
  stale: "The last measurement is older than stale_after_seconds, so the value was withdrawn.",
  no_value: "The last measurement was not a number.",
};

const ExplainedItem = z.strictObject({
  ...ChannelItem.shape,
  why: z.string().describe("what the state means"),
  untrusted: z.strictObject({
    ...ChannelItem.shape.untrusted.shape,
    rule: z.string().nullable().describe("effect of the mapping rules, or null without rules"),
    series: z.array(z.string()).describe("lines of the metrics page"),
  }),
});

export const explainSeries = defineTool({
  name: "explain_series",
  title: "Why a series has its value",
  description: `Explains a Prometheus series of a sensor or channel, from an alert or a dashboard: the object behind it, its status, and why it has its value or none (stale, paused, dropped by a rule). Give the series with its labels, or the ID of the sensor. ${UNTRUSTED_NOTE}`,
  input: z.strictObject({
    series: z
      .string()
      .max(MAX_SERIES_TEXT)
      .optional()
      .describe('A series with its labels, such as prtg_channel_value{server="hq",sensor_id="2490",channel_id="1"}.'),
    id: idArgument("a sensor").optional(),
    server: serverArgument().describe("Name of the server. Default: the first server with this ID."),
    channel: channelArgument("the first channels"),
  }),
  output: z.strictObject({
    ...ageParts,
    server: z.string(),
    id: z.string(),
    status: z.string().nullable(),
    status_since: time().nullable(),
    interval_seconds: z.number().nullable().describe("scanning interval"),
    stale_after_seconds: z.number().nullable().describe("age at which values are withdrawn"),
    channels_total: count(),
    channels: z.array(ExplainedItem),
    next_channel_index: listParts.next_from.describe("index of the first channel that is not shown, or null"),
    page_url: pageUrl(),
    prtg_url: prtgUrl(),
    untrusted: z.strictObject({
      name: z.string(),
      path: z.string(),
      series: z.array(z.string()).describe("lines of the sensor itself on the metrics page"),
    }),
  }),
  run: async (args, call) => {
    const { source, links, signal } = call;
    const { id, server, channel } = subjectOf(args);
    const report = await call.turn(async () => {
      const found = await source.node({ server, id, from: 0 }, signal);
      if (found === undefined) throw await unknownObject(call, server, id);
      return found;
    });
    const { node, sensor } = report;
    if (sensor === null)
      throw new ToolError(`The object is a ${node.kind}. Only series of sensors and channels can be explained.`);
    const chosen = channel === undefined ? sensor.channels : await oneChannel(call, report, channel);
    const total = sensor.channels_total;
    const data = fitted(chosen, (shown) => ({
      ...source.age([node.server]),
      ...{ server: node.server, id, status: node.status, status_since: node.status_since },
      interval_seconds: sensor.interval_seconds,
      stale_after_seconds: sensor.stale_after_seconds,
      channels_total: total,
      channels: shown.map(explainedItem),
      next_channel_index: channel === undefined ? nextFrom({ total, from: 0, shown: shown.length }) : null,
      page_url: links.node(node),
      prtg_url: node.prtg_url,
      untrusted: { name: nameText(node.name), path: pathText(node.path), series: lineTexts(sensor.series) },
    }));
    const rest = data.next_channel_index === null ? "" : " For another channel give its ID in channel.";
    return { summary: `A sensor, with ${data.channels.length} of ${total} channels.${rest}`, data };
  },
});

interface Subject {
  readonly id: string;
  readonly server: string | undefined;
  readonly channel?: string | undefined;
}

const LABEL = /([A-Za-z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"/g;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n" };

/** @throws ToolError without the ID of a sensor */
function subjectOf(args: {
  readonly series?: string | undefined;
  readonly id?: string | undefined;
  readonly server?: string | undefined;
  readonly channel?: string | undefined;
}): Subject {
  const { series = "", server, channel } = args;
  const labels = new Map(
    [...series.matchAll(LABEL)].map(([, name = "", value = ""]) => [
      name,
      value.replace(/\\(.)/g, (_escape, character: string) => ESCAPES[character] ?? character),
    ]),
  );
  const id = args.id ?? labels.get("sensor_id");
  if (id === undefined || id === "") {
    const given = series === "" ? "Give series or id." : "The series has no label sensor_id.";
    throw new ToolError(`${given} Only series of sensors and channels can be explained.`);
  }
  return { server: server ?? labels.get("server"), ...splitId(id, channel ?? labels.get("channel_id")) };
}

async function oneChannel(
  call: ToolCall,
  report: Parameters<typeof channelsOf>[1],
  channelId: string,
): Promise<readonly ChannelReport[]> {
  const isIt = (channel: ChannelReport) => channel.channel_id === channelId;
  const channels = await channelsOf(call, report, (known) => known.some(isIt));
  const found = channels.filter(isIt);
  if (found.length > 0) return found;
  const ids = channels.slice(0, MAX_IDS).map(({ channel_id }) => nameText(channel_id));
  throw new ToolError(`The sensor has no channel ${JSON.stringify(channelId)}.`, { channel_ids: ids });
}

function explainedItem(channel: ChannelReport): z.input<typeof ExplainedItem> {
  const item = channelItem(channel);
  return {
    ...item,
    why: WHY[channel.state],
    untrusted: { ...item.untrusted, rule: messageText(channel.rule), series: lineTexts(channel.series) },
  };
}
