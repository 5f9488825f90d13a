import type { SimChannel, SimNode, SimSensor } from "../../world/model.ts";
import { scanningInterval } from "../scanning-interval.ts";
import { isDevice } from "../subject.ts";
import { renderMeasurement } from "./measurement.ts";
import type { Rendering } from "./rendering.ts";
import { calculatedStatus, renderSummary } from "./summary.ts";

/** The flat records of the deprecated lists: no `type`, the whole path, the interval among the other fields. */

export interface NodeInfoOptions {
  /** With the number of sensors per status. */
  readonly summary: boolean;
}

/** A probe, group or device. On live servers its status is what its sensors come to, in spelling and meaning. */
export function renderNodeInfo(node: SimNode, { summary }: NodeInfoOptions, rendering: Rendering): string {
  const { spelling, summaries, world, now } = rendering;
  const token = spelling.name === "live" ? calculatedStatus(summaries.of(node)) : world.state(node, now).status;
  const members = commonMembers(node, spelling.summedStatus(token), rendering);
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
  const text = rendering.texts.ofChannel(channel);
  return `${text.info}${renderMeasurement(text, rendering)}}`;
}

function commonMembers(node: SimNode, status: string, rendering: Rendering): string[] {
  const { seconds } = scanningInterval(node);
  return [
    `"id":"${node.id}"`,
    `"name":${JSON.stringify(node.name)}`,
    `"status":${status}`,
    `"path":[${rendering.texts.of(node).path}]`,
    `"favorite":${node.favorite}`,
    `"priority":${node.priority}`,
    `"scanning_interval":${rendering.spelling.setting(seconds)}`,
    `"tags":${JSON.stringify(node.tags)}`,
  ];
}
