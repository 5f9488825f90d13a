import { formatValue } from "../../exposition/text-format.ts";
import { type DebugPage, type DebugSection, debugFailure } from "../../http/pages/status/debug-view.ts";
import { parsePosition } from "../../http/pages/status/source.ts";
import type { ValueState } from "../../projection/inspection.ts";
import { type ChannelExplanation, type ExplainedObject, explainSensor, type SensorExplanation } from "./explanation.ts";
import { instant } from "./report-values.ts";
import type { DebugSources } from "./sources.ts";

const USAGE = "give ?object= with the id of a sensor (2490) or of a channel (2490.1)";

/** `/debug/explain?object=ID`: the object on each server that has it, and its lines on the page. */
export function explainPage(sources: () => DebugSources): DebugPage {
  return async (query) => {
    const object = parseObject(query);
    if (object === undefined) return debugFailure(400, USAGE);
    const now = sources();
    const objects: SensorReport[] = [];
    for (const { view } of now.monitors.values()) {
      const explanation = explainSensor(view, object, now);
      if (explanation !== undefined) objects.push(sensorReport(explanation));
    }
    if (objects.length === 0) return debugFailure(404, whyUnknown(object, now));
    return { status: 200, sections: objects.flatMap(sensorSections), json: { objects } };
  };
}

function parseObject(query: URLSearchParams): ExplainedObject | undefined {
  const [, sensorId, channelId] = /^([^\s.]{1,50})(?:\.(\S{1,50}))?$/.exec(query.get("object") ?? "") ?? [];
  return sensorId === undefined ? undefined : { sensorId, channelId, from: parsePosition(query) };
}

function whyUnknown({ sensorId, channelId }: ExplainedObject, { monitors }: DebugSources): string {
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

type SensorReport = ReturnType<typeof sensorReport>;
type ChannelReport = ReturnType<typeof channelReport>;

function sensorReport({ inspection, lines, channels }: SensorExplanation) {
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
      status_since: instantIfKnown(statusSince),
      last_up: instantIfKnown(lastUp),
      last_down: instantIfKnown(lastDown),
      stale_after_seconds: staleAfterMs === undefined ? undefined : staleAfterMs / 1000,
    },
    lines,
    channels_total: inspection.channelCount,
    channels_from: inspection.channelsFrom,
    channels: channels.map(channelReport),
  };
}

function channelReport({ channel, account, lines }: ChannelExplanation) {
  return {
    channel_id: channel.channelId,
    channel: channel.name,
    unit: channel.unit,
    state: channel.state,
    value: channel.value,
    measured_at: instantIfKnown(channel.measuredAt),
    from_time_series: channel.fromSeries,
    limits: channel.limits,
    outcome: account.outcome,
    rule: account.rule,
    reason: account.reason,
    lines,
  };
}

/** JSON omits members without a value. */
function instantIfKnown(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : instant(ms);
}

function sensorSections(report: SensorReport): DebugSection[] {
  const { server, sensor, lines, channels } = report;
  const { stale_after_seconds: staleAfter } = sensor;
  return [
    {
      title: `sensor ${sensor.sensor_id} of server ${server}, normalised (the exporter keeps no raw records)`,
      rows: [
        ["path", sensor.path],
        ["kind", `${sensor.kind} (${sensor.kind_name})`],
        ["device", `${sensor.device} (${sensor.device_id})`],
        ["tags", sensor.tags.join(", ")],
        ["inherited tags", sensor.inherited_tags.join(", ")],
        ["status", sensor.status ?? "not known yet"],
        ["message", sensor.message ?? ""],
        ["status since", sensor.status_since ?? ""],
        ["last up", sensor.last_up ?? ""],
        ["last down", sensor.last_down ?? ""],
        ["stale after", staleAfter === undefined ? "" : `${staleAfter} s`],
      ],
      lines,
    },
    ...partSection(report),
    ...channels.map((channel) => channelSection(sensor.sensor_id, channel)),
  ];
}

/** Empty if all channels are on the page, or one was requested. */
function partSection({ channels_total: total, channels_from: from, channels }: SensorReport): DebugSection[] {
  if (channels.length === total || channels.length <= 1) return [];
  return [{ title: `channels ${from + 1} to ${from + channels.length} of ${total} (&from=N skips the first N)` }];
}

function channelSection(sensorId: string, channel: ChannelReport): DebugSection {
  const limits = Object.entries(channel.limits).map(([name, value]) => `${name} ${value}`);
  return {
    title: `channel ${sensorId}.${channel.channel_id}`,
    rows: [
      ["name", channel.channel],
      ["unit", channel.unit],
      ["value", valueText(channel)],
      ["limits", limits.join(", ")],
      ["rule", channel.reason],
    ],
    lines: channel.lines,
  };
}

const NOT_SERVED: Readonly<Record<Exclude<ValueState, "served">, string>> = {
  dropped: "none: a rule drops the channel",
  paused: "none: the sensor is paused",
  never_measured: "none: no measurement is known",
  stale: "none: the last measurement is too old",
  no_value: "none: the last value was not a number",
};

function valueText({ state, value, measured_at, from_time_series }: ChannelReport): string {
  const at = measured_at === undefined ? "" : `measured at ${measured_at}`;
  if (state !== "served") return [NOT_SERVED[state], at].filter((part) => part !== "").join(", ");
  return `${formatValue(value ?? Number.NaN)}, ${at}${from_time_series ? ", from the time series" : ""}`;
}
