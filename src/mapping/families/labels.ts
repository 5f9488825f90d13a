import type { TreeNode } from "../../model/tree.ts";
import { locationOf } from "../../prtg/decode/location.ts";
import type { LabelSet } from "./family.ts";

interface NodeSubject {
  readonly node: TreeNode;
}

export interface ChannelIdentity {
  readonly channelId: string;
  readonly name: string;
  /** Empty if unknown. */
  readonly unit: string;
}

export interface ChannelSubject extends ChannelIdentity {
  readonly sensor: NodeSubject;
}

export const NO_LABELS: LabelSet<unknown> = { values: {} };

export const NODE_ID_LABELS: LabelSet<NodeSubject> = {
  values: {
    id: ({ node }) => node.id,
    kind: ({ node }) => node.kind,
  },
};

export const NODE_LABELS: LabelSet<NodeSubject> = {
  values: { ...NODE_ID_LABELS.values, path: ({ node }) => node.path },
};

/** Grafana's map finds columns of these names. Without a label that users can rename: see `labels-schema.ts`. */
export const NODE_LOCATION_LABELS: LabelSet<NodeSubject> = {
  values: {
    ...NODE_ID_LABELS.values,
    latitude: ({ node }) => degreesOf(node, "latitude"),
    longitude: ({ node }) => degreesOf(node, "longitude"),
  },
};

function degreesOf({ tags }: TreeNode, axis: "latitude" | "longitude"): string {
  const location = locationOf(tags);
  return typeof location === "object" ? String(location[axis]) : "";
}

export const DEVICE_ID_LABELS: LabelSet<NodeSubject> = { values: { device_id: ({ node }) => node.id } };

export const DEVICE_INFO_LABELS: LabelSet<NodeSubject> = {
  values: {
    ...DEVICE_ID_LABELS.values,
    device: ({ node }) => node.name,
    host: ({ node }) => node.host ?? "",
    kind: ({ node }) => node.type,
    tags: ({ node }) => node.tags.join(","),
    path: ({ node }) => node.path,
  },
};

export const SENSOR_LABELS = {
  configurableFor: ({ node }) => node,
  values: {
    sensor_id: ({ node }) => node.id,
    probe: ({ node }) => node.probe,
    group: ({ node }) => node.group,
    device: ({ node }) => node.device,
    sensor: ({ node }) => node.name,
    path: ({ node }) => node.path,
  },
} as const satisfies LabelSet<NodeSubject>;

export const SENSOR_INFO_LABELS: LabelSet<NodeSubject> = {
  infoOf: ({ node }) => node,
  values: {
    sensor_id: ({ node }) => node.id,
    device_id: ({ node }) => node.deviceId,
    kind: ({ node }) => node.type,
    kind_name: ({ node }) => node.typeName,
    priority: ({ node: { priority } }) => (priority === undefined ? "" : String(priority)),
    tags: ({ node }) => node.tags.join(","),
    favorite: ({ node: { favorite } }) => (favorite === undefined ? "" : String(favorite)),
  },
};

export const CHANNEL_LABELS = {
  configurableFor: ({ sensor }) => sensor.node,
  values: {
    sensor_id: ({ sensor }) => sensor.node.id,
    channel_id: ({ channelId }) => channelId,
    probe: ({ sensor }) => sensor.node.probe,
    group: ({ sensor }) => sensor.node.group,
    device: ({ sensor }) => sensor.node.device,
    sensor: ({ sensor }) => sensor.node.name,
    channel: ({ name }) => name,
    unit: ({ unit }) => unit,
    // The path of the sensor, so that series of channels and sensors join on it.
    path: ({ sensor }) => sensor.node.path,
  },
} as const satisfies LabelSet<ChannelSubject>;

const { unit: _unit, ...mapped } = CHANNEL_LABELS.values;

/** Of the series that rules give a channel: their name has the unit. */
export const MAPPED_CHANNEL_LABELS: LabelSet<ChannelSubject> = { ...CHANNEL_LABELS, values: mapped };

/** All labels of a channel, whatever the configuration omits. */
export const CHANNEL_INFO_LABELS: LabelSet<ChannelSubject> = { values: CHANNEL_LABELS.values };

export const CHANNEL_ID_LABELS: LabelSet<ChannelSubject> = {
  values: {
    sensor_id: CHANNEL_LABELS.values.sensor_id,
    channel_id: CHANNEL_LABELS.values.channel_id,
  },
};
