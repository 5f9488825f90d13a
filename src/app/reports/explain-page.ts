import { formatLabels, formatValue } from "../../exposition/text-format.ts";
import type { DebugPage, DebugReport } from "../../http/pages/debug-endpoint.ts";
import type { DebugTable } from "../../http/pages/status/debug-view.ts";
import { oneLine } from "../../lib/printable-text.ts";
import { accountFor, type ChannelAccount } from "../../mapping/channel-account.ts";
import type { ChannelChoice, ChannelInspection, SensorInspection } from "../../projection/inspection.ts";
import type { PresentSeries } from "../../projection/projector.ts";
import type { ServerView } from "../../projection/server-view.ts";
import type { DebugSources } from "./sources.ts";

/** On one page. Most sensors have less than 50. */
const MAX_CHANNELS_SHOWN = 200;

const USAGE = "give ?object= with the id of a sensor (2490) or of a channel (2490.1)";

export interface ObjectQuery {
  readonly sensorId: string;
  readonly channelId: string | undefined;
}

/** From the record to the lines of the page. */
export interface ChannelExplanation {
  readonly channel: ChannelInspection;
  readonly account: ChannelAccount;
  readonly lines: readonly string[];
}

export interface SensorExplanation {
  readonly inspection: SensorInspection;
  readonly lines: readonly string[];
  readonly channels: readonly ChannelExplanation[];
}

/** `/debug/explain?object=ID`: the object on each server that has it, and its lines on the page. */
export function explainPage(sources: DebugSources): DebugPage {
  return async (query) => {
    const object = parseObject(query.get("object"));
    if (object === undefined) return failure(400, USAGE);
    const explanations: SensorExplanation[] = [];
    for (const { view } of sources.monitors.values()) {
      const choice = choiceOf(object, positionOf(query));
      const inspection = view.inspect(object.sensorId, choice, sources.clock.monotonic());
      if (inspection === undefined) continue;
      const found = await explainSensor(inspection, object, view, sources);
      if (found !== undefined) explanations.push(found);
    }
    if (explanations.length === 0) return failure(404, whyUnknown(object, sources));
    return {
      status: 200,
      text: explanations.map(textOf).join("\n"),
      tables: explanations.flatMap(tablesOf),
      json: { objects: explanations.map(jsonOf) },
    };
  };
}

function failure(status: 400 | 404, message: string): DebugReport {
  const tables = [{ title: message, head: [], rows: [] }];
  return { status, text: `${oneLine(message)}\n`, tables, json: { error: message } };
}

function parseObject(text: string | null): ObjectQuery | undefined {
  const match = /^([^\s.]{1,50})(?:\.(\S{1,50}))?$/.exec(text ?? "");
  return match?.[1] === undefined ? undefined : { sensorId: match[1], channelId: match[2] };
}

/** `from`: position of the first channel, without a channel id. */
export function choiceOf({ channelId }: ObjectQuery, from: number): ChannelChoice {
  return channelId === undefined ? { from, count: MAX_CHANNELS_SHOWN } : { channelId };
}

function positionOf(query: URLSearchParams): number {
  const text = query.get("from") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

function whyUnknown({ sensorId, channelId }: ObjectQuery, { monitors }: DebugSources): string {
  const other = monitors
    .values()
    .map(({ view }) => view.state.tree.nodes.get(sensorId))
    .find((node) => node !== undefined);
  if (other !== undefined && other.kind !== "sensor") return `${sensorId} is a ${other.kind}: ${USAGE}`;
  const isLeftOut = monitors.values().some((monitor) => monitor.isLeftOut(sensorId));
  if (isLeftOut) return `${sensorId} is not selected: servers[].select excludes it`;
  const name = channelId === undefined ? `sensor ${sensorId}` : `channel ${sensorId}.${channelId}`;
  return `no server has returned ${name} yet (the user needs read access to it)`;
}

/** `undefined` if the sensor has no such channel. */
export async function explainSensor(
  inspection: SensorInspection,
  { channelId }: ObjectQuery,
  view: Pick<ServerView, "present">,
  { mapper, clock }: Pick<DebugSources, "mapper" | "clock">,
): Promise<SensorExplanation | undefined> {
  const { server, sensor, channels: chosen } = inspection;
  if (channelId !== undefined && chosen.length === 0) return undefined;
  const ids = chosen.map((channel) => channel.channelId);
  const { own, channels } = await view.present(sensor.id, ids, clock.monotonic());
  return {
    inspection,
    lines: own.map(lineOf),
    channels: chosen.map((channel) => ({
      channel,
      account: accountFor(mapper, server, sensor, channel),
      lines: (channels.get(channel.channelId) ?? []).map(lineOf),
    })),
  };
}

/** As the page has it. */
function lineOf({ family, labels, value }: PresentSeries): string {
  return `${family.name}${formatLabels(family.labels, labels)} ${formatValue(value)}`;
}

type Properties = readonly (readonly [name: string, value: string])[];

function sensorProperties(inspection: SensorInspection): Properties {
  const { sensor, status, statusSince, message, lastUp, lastDown, staleAfterMs } = inspection;
  return [
    ["path", sensor.path],
    ["kind", `${sensor.type} (${sensor.typeName})`],
    ["device", `${sensor.device} (${sensor.deviceId})`],
    ["tags", sensor.tags.join(", ")],
    ["inherited tags", sensor.inheritedTags.join(", ")],
    ["status", status ?? "not known yet"],
    ["message", message ?? ""],
    ["status since", isoTime(statusSince) ?? ""],
    ["last up", isoTime(lastUp) ?? ""],
    ["last down", isoTime(lastDown) ?? ""],
    ["stale after", staleAfterMs === undefined ? "" : `${staleAfterMs / 1000} s`],
  ];
}

function textOf({ inspection, lines, channels }: SensorExplanation): string {
  const { server, sensor } = inspection;
  return [
    `sensor ${sensor.id} of server ${server}, normalised (the exporter keeps no raw records)\n`,
    ...propertyLines(sensorProperties(inspection)),
    ...served(lines, "  "),
    ...partText(inspection),
    ...channels.flatMap((each) => ["\n", ...channelText(sensor.id, each)]),
  ].join("");
}

function isoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** Empty if all channels are on the page, or one was requested. */
function partText({ channelCount, channelsFrom, channels }: SensorInspection): string[] {
  if (channels.length === channelCount || channels.length <= 1) return [];
  const last = channelsFrom + channels.length;
  return [`\nchannels ${channelsFrom + 1} to ${last} of ${channelCount} (&from=N skips the first N)\n`];
}

function channelProperties({ channel, account }: ChannelExplanation): Properties {
  const limits = Object.entries(channel.limits).map(([name, value]) => `${name} ${value}`);
  return [
    ["name", channel.name],
    ["unit", channel.unit],
    ["value", valueText(channel)],
    ["limits", limits.join(", ")],
    ["rule", account.reason],
  ];
}

function channelText(sensorId: string, explanation: ChannelExplanation): string[] {
  return [
    `channel ${sensorId}.${explanation.channel.channelId}\n`,
    ...propertyLines(channelProperties(explanation)),
    ...served(explanation.lines, "  "),
  ];
}

function propertyLines(properties: Properties): string[] {
  return properties.map(([name, value]) => `  ${name.padEnd(15)} ${oneLine(value)}`.trimEnd().concat("\n"));
}

function tablesOf({ inspection, lines, channels }: SensorExplanation): DebugTable[] {
  const { server, sensor } = inspection;
  const table = (title: string, properties: Properties, series: readonly string[]): DebugTable => ({
    title,
    head: ["property", "value"],
    rows: [...properties.filter(([, value]) => value !== ""), ...series.map((line) => ["line served", line])],
    note: series.length === 0 ? "no lines served" : undefined,
  });
  return [
    table(`sensor ${sensor.id} of server ${server}`, sensorProperties(inspection), lines),
    ...channels.map((each) =>
      table(`channel ${sensor.id}.${each.channel.channelId}`, channelProperties(each), each.lines),
    ),
  ];
}

function served(lines: readonly string[], indent: string): string[] {
  if (lines.length === 0) return [`${indent}no lines served\n`];
  return [
    `${indent}lines served\n`,
    ...lines.map((line) => `${indent}${indent}${line.replace(/\p{Cc}/gu, "\uFFFD")}\n`),
  ];
}

const NOT_SERVED = {
  dropped: "none: a rule drops the channel",
  paused: "none: the sensor is paused",
  never_measured: "none: no measurement is known",
  stale: "none: the last measurement is too old",
  no_value: "none: the last value was not a number",
} as const;

function valueText({ state, value, measuredAt, fromSeries }: ChannelInspection): string {
  const at = measuredAt === undefined ? "" : `measured at ${new Date(measuredAt).toISOString()}`;
  const source = fromSeries ? ", from the time series" : "";
  if (state !== "served") return [NOT_SERVED[state], at].filter((part) => part !== "").join(", ");
  return `${formatValue(value ?? Number.NaN)}, ${at}${source}`;
}

function jsonOf({ inspection, lines, channels }: SensorExplanation): object {
  const { server, sensor, status, statusSince, message, lastUp, lastDown, staleAfterMs } = inspection;
  return {
    server,
    sensor: {
      sensor_id: sensor.id,
      path: sensor.path,
      kind: sensor.type,
      kind_name: sensor.typeName,
      device_id: sensor.deviceId,
      device: sensor.device,
      tags: sensor.tags,
      inherited_tags: sensor.inheritedTags,
      status,
      message,
      status_since: isoTime(statusSince),
      last_up: isoTime(lastUp),
      last_down: isoTime(lastDown),
      stale_after_seconds: staleAfterMs === undefined ? undefined : staleAfterMs / 1000,
    },
    lines,
    channels_total: inspection.channelCount,
    channels_from: inspection.channelsFrom,
    channels: channels.map(({ channel, account, lines: series }) => ({
      channel_id: channel.channelId,
      channel: channel.name,
      unit: channel.unit,
      state: channel.state,
      value: channel.value,
      measured_at: isoTime(channel.measuredAt),
      from_time_series: channel.fromSeries,
      limits: channel.limits,
      outcome: account.outcome,
      rule: account.rule,
      reason: account.reason,
      lines: series,
    })),
  };
}
