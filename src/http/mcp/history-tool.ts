import { z } from "zod";
import type { ChartOutcome, ChartPart } from "../pages/status/courses.ts";
import type { NodeReport } from "../pages/status/report.ts";
import { fitted, messageText, nameText, pathText } from "./bounds.ts";
import { channelsOf } from "./channels.ts";
import { splitId, unknownObject } from "./lookup.ts";
import {
  ageParts,
  channelArgument,
  count,
  idArgument,
  pageUrl,
  prtgUrl,
  serverArgument,
  time,
  UNTRUSTED_NOTE,
} from "./schemas.ts";
import { defineTool, type ToolCall, ToolError } from "./tool.ts";

/** Points of all channels together: about 15 kB. */
const MAX_POINTS = 240;
const MIN_POINTS_A_CHANNEL = 8;
/** IDs of channels in an error. */
const MAX_IDS = 20;

const PointItem = z.strictObject({ at: time(), low: z.number(), high: z.number() });

const HistoryItem = z.strictObject({
  channel_id: z.string(),
  low: z.number().describe("lowest value"),
  high: z.number().describe("highest value"),
  last: z.number().describe("last value: the highest one of the last minute"),
  points: z.array(PointItem).describe("lowest and highest value of each part of the time"),
  untrusted: z.strictObject({ name: z.string().nullable(), unit: z.string().nullable() }),
});

export const getHistory = defineTool({
  name: "get_history",
  title: "Values of the last hours",
  description: `Reads the values of a sensor of the last four hours, of all channels or of one. This is the only tool that sends a request to PRTG: at most 10 a minute for each server, and the answer is kept for a minute. Ask for single sensors only. ${UNTRUSTED_NOTE}`,
  input: z.strictObject({
    id: idArgument("a sensor"),
    server: serverArgument().describe("Name of the server. Default: the first server with this ID."),
    channel: channelArgument("all channels, with fewer points"),
  }),
  output: z.strictObject({
    ...ageParts,
    server: z.string(),
    id: z.string(),
    from: time().describe("begin of the time"),
    to: time().describe("end of the time"),
    channels_total: count().describe("channels with values in this time"),
    channels: z.array(HistoryItem),
    page_url: pageUrl(),
    prtg_url: prtgUrl(),
    untrusted: z.strictObject({ name: z.string(), path: z.string() }),
  }),
  run: async ({ id: given, server: asked, channel: wanted }, call) => {
    const { source, links, signal } = call;
    const { id, channel } = splitId(given, wanted);
    const report = await call.turn(() => sensorOf(call, asked, id));
    const { node } = report;
    const { server } = node;
    // Outside the turns of pages, because it waits for the monitoring server. It has limits of its own.
    const { chart, ageSeconds } = drawn(await source.chart({ server, id }, signal));
    const known = [...chart.channels].filter(([channelId]) => channel === undefined || channelId === channel);
    if (channel !== undefined && known.length === 0) {
      throw new ToolError(`The sensor has no values of a channel ${JSON.stringify(channel)} in the last four hours.`, {
        channel_ids: [...chart.channels.keys()].slice(0, MAX_IDS).map(nameText),
      });
    }
    const names = new Map((await channelsOf(call, report)).map((each) => [each.channel_id, each]));
    const points = Math.max(MIN_POINTS_A_CHANNEL, Math.floor(MAX_POINTS / Math.max(1, known.length)));
    const data = fitted(known, (shown) => ({
      as_of: new Date(chart.to).toISOString(),
      age_seconds: Math.round(ageSeconds),
      ...{ server, id },
      from: new Date(chart.from).toISOString(),
      to: new Date(chart.to).toISOString(),
      channels_total: chart.channels.size,
      channels: shown.map(([channelId, parts]) => ({
        channel_id: channelId,
        ...summaryOf(parts),
        points: merged(parts, chart, points),
        untrusted: namesOf(names.get(channelId)),
      })),
      page_url: links.node(node),
      prtg_url: node.prtg_url,
      untrusted: { name: nameText(node.name), path: pathText(node.path) },
    }));
    const rest = data.channels.length < known.length ? " For another channel give its ID in channel." : "";
    return { summary: `Values of ${data.channels.length} of ${chart.channels.size} channels.${rest}`, data };
  },
});

async function sensorOf(call: ToolCall, server: string | undefined, id: string): Promise<NodeReport> {
  const report = await call.source.node({ server, id, from: 0 }, call.signal);
  if (report === undefined) throw await unknownObject(call, server, id);
  if (report.sensor === null) {
    throw new ToolError(`The object is a ${report.node.kind}. Only sensors have a history: take one of its children.`);
  }
  return report;
}

/** @throws ToolError without a chart */
function drawn(outcome: ChartOutcome | undefined): Extract<ChartOutcome, { readonly kind: "drawn" }> {
  switch (outcome?.kind) {
    case "drawn":
      return outcome;
    case "waiting":
      throw new ToolError("PRTG has not answered within 10 seconds. Call again in a few seconds: the request goes on.");
    case "too_many":
      throw new ToolError(
        `PRTG got 10 such requests in the last minute. Call again in ${outcome.retryAfterSeconds} s.`,
      );
    case "busy":
      throw new ToolError(`Too many readers wait for PRTG. Call again in ${outcome.retryAfterSeconds} s.`);
    case "failed":
      throw new ToolError("PRTG did not return the values.", { untrusted: { reason: messageText(outcome.reason) } });
    default:
      throw new ToolError("The sensor has disappeared. Search for it with find_objects.");
  }
}

function summaryOf(parts: readonly ChartPart[]) {
  return {
    low: Math.min(...parts.map(({ low }) => low)),
    high: Math.max(...parts.map(({ high }) => high)),
    last: parts.at(-1)?.high ?? 0,
  };
}

/** @param count Most points of the answer. */
function merged(
  parts: readonly ChartPart[],
  { from, to }: { readonly from: number; readonly to: number },
  count: number,
): z.input<typeof PointItem>[] {
  const width = (to - from) / count;
  const points = new Map<number, { at: number; low: number; high: number }>();
  for (const { at, low, high } of parts) {
    const place = Math.min(count - 1, Math.floor((at - from) / width));
    const point = points.get(place);
    if (point === undefined) points.set(place, { at, low, high });
    else points.set(place, { at: point.at, low: Math.min(point.low, low), high: Math.max(point.high, high) });
  }
  return [...points.values()].map(({ at, low, high }) => ({ at: new Date(at).toISOString(), low, high }));
}

function namesOf(channel: { readonly name: string; readonly unit: string } | undefined) {
  return channel === undefined
    ? { name: null, unit: null }
    : { name: nameText(channel.name), unit: nameText(channel.unit) };
}
