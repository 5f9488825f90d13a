import type { SimChannel, SimNode, SimSensor } from "../world/model.ts";
import { scanningInterval } from "../world/nodes/settings.ts";
import { isChannel, isDevice, isSensor, type SimObject } from "../world/objects.ts";
import { renderMeasurement } from "./measurement.ts";
import type { Rendering } from "./rendering.ts";
import { calculatedStatus, renderSummary } from "./summary.ts";

/** The flat records of the deprecated lists: no `type`, the whole path, the interval among the other fields. */

export interface NodeInfoOptions {
  /** With the number of sensors per status. */
  readonly summary: boolean;
}

/** A probe, group or device. */
export function renderNodeInfo(node: SimNode, { summary }: NodeInfoOptions, rendering: Rendering): string {
  const { spelling, summaries } = rendering;
  const members = commonMembers(node, summedStatus(node, rendering), rendering);
  if (isDevice(node)) members.push(`"host":${JSON.stringify(node.host)}`);
  if (summary) members.push(`"sensor_status_summary":${renderSummary(summaries.of(node), spelling)}`);
  return `{${members.join(",")}}`;
}

export interface SensorInfoOptions {
  /** All channels; otherwise the primary one and Downtime. */
  readonly allChannels: boolean;
}

const DOWNTIME = -4;

export function renderSensorInfo(sensor: SimSensor, options: SensorInfoOptions, rendering: Rendering): string {
  const { status, since, message } = rendering.world.state(sensor, rendering.now);
  const channels = options.allChannels
    ? sensor.channels
    : sensor.channels.filter((channel) => channel.primary || channel.number === DOWNTIME);
  const members = commonMembers(sensor, rendering.spelling.status(status), rendering);
  members.push(
    `"sensor_kind":${JSON.stringify(sensor.type)}`,
    `"message":${JSON.stringify(message)}`,
    `"status_since":${rendering.timestamp(since)}`,
    `"channels":[${channels.map((channel) => renderChannelInfo(channel, rendering)).join(",")}]`,
  );
  return `{${members.join(",")}}`;
}

export function renderChannelInfo(channel: SimChannel, rendering: Rendering): string {
  const text = rendering.cache.ofChannel(channel);
  return `${text.info}${renderMeasurement(text, rendering)}}`;
}

/** An object of a mixed list: the record that the list of its kind has, as that list shows it without further parameters. */
export function renderObjectInfo(object: SimObject, options: NodeInfoOptions, rendering: Rendering): string {
  if (isChannel(object)) return renderChannelInfo(object, rendering);
  if (isSensor(object)) return renderSensorInfo(object, { allChannels: false }, rendering);
  return renderNodeInfo(object, options, rendering);
}

/** On live servers the status of probes, groups and devices is what their sensors come to, in spelling and meaning. */
function summedStatus(node: SimNode, { spelling, summaries, world, now }: Rendering): string {
  const token = spelling.name === "live" ? calculatedStatus(summaries.of(node)) : world.state(node, now).status;
  return spelling.summedStatus(token);
}

function commonMembers(node: SimNode, status: string, rendering: Rendering): string[] {
  const { seconds } = scanningInterval(node);
  return [
    `"id":"${node.id}"`,
    `"name":${JSON.stringify(node.name)}`,
    `"status":${status}`,
    `"path":[${rendering.cache.of(node).path}]`,
    `"favorite":${node.favorite}`,
    `"priority":${node.priority}`,
    `"scanning_interval":${rendering.spelling.setting(seconds)}`,
    `"tags":${JSON.stringify(node.tags)}`,
  ];
}
