import type { LimitName } from "../api/records.ts";
import type { StatusToken } from "../api/status.ts";
import type { TreeNode } from "../tree/model.ts";

/*
 * Label values in the order of the metric table. Text is served as it came: escaping is the renderer's business, and
 * a lone surrogate, which no encoding can carry, becomes U+FFFD.
 */

/** What a channel adds to the labels of its sensor. */
export interface ChannelIdentity {
  readonly channelId: string;
  readonly name: string;
  /** Empty where unknown. */
  readonly unit: string;
}

/** `server` and S. */
export function sensorLabels(server: string, sensor: TreeNode): readonly string[] {
  return wellFormed([server, sensor.id, sensor.probe, sensor.group, sensor.device, sensor.name, sensor.path]);
}

/** `server`, S and `status`. */
export function sensorStatusLabels(server: string, sensor: TreeNode, status: StatusToken): readonly string[] {
  return [...sensorLabels(server, sensor), status];
}

/** `server` and C. */
export function channelLabels(server: string, sensor: TreeNode, channel: ChannelIdentity): readonly string[] {
  return wellFormed([
    server,
    sensor.id,
    channel.channelId,
    sensor.probe,
    sensor.group,
    sensor.device,
    sensor.name,
    channel.name,
    channel.unit,
    // Ends with the sensor, as in S, so that the two join on it.
    sensor.path,
  ]);
}

/** `server`, C and `limit`, from the channel's own labels. */
export function channelLimitLabels(channel: readonly string[], limit: LimitName): readonly string[] {
  return [...channel, limit];
}

export function limitExceededLabels(
  server: string,
  sensorId: string,
  channelId: string,
  limit: LimitName,
): readonly string[] {
  return wellFormed([server, sensorId, channelId, limit]);
}

export function nodeLabels(server: string, node: TreeNode): readonly string[] {
  return wellFormed([server, node.id, node.kind, node.path]);
}

export function nodeSensorsLabels(server: string, node: TreeNode, status: StatusToken): readonly string[] {
  return [...nodeLabels(server, node), status];
}

export function sensorInfoLabels(server: string, sensor: TreeNode): readonly string[] {
  return wellFormed([
    server,
    sensor.id,
    sensor.deviceId,
    sensor.type,
    sensor.typeName,
    sensor.priority === undefined ? "" : String(sensor.priority),
    sensor.tags.join(","),
    sensor.favorite === undefined ? "" : String(sensor.favorite),
  ]);
}

export function deviceInfoLabels(server: string, device: TreeNode): readonly string[] {
  return wellFormed([
    server,
    device.id,
    device.name,
    device.host ?? "",
    device.type,
    device.tags.join(","),
    device.path,
  ]);
}

function wellFormed(values: string[]): readonly string[] {
  return values.every((value) => value.isWellFormed()) ? values : values.map((value) => value.toWellFormed());
}

/** Calls `build` once per node: as long as a node stays the same object, so do its labels. */
export function oncePerNode<Result>(build: (node: TreeNode) => Result): (node: TreeNode) => Result {
  const built = new WeakMap<TreeNode, { readonly result: Result }>();
  return (node) => {
    const known = built.get(node);
    if (known !== undefined) return known.result;
    const result = build(node);
    built.set(node, { result });
    return result;
  };
}
