import type { Visibility } from "../auth/visibility.ts";
import type { SimChannel, SimNode } from "../world/model.ts";
import type { SpellingName } from "./spelling.ts";

/** URL path of the resource; a reference that the user may not follow has `restricted` instead. */
const PLURAL = { root: "groups", probe: "probes", group: "groups", device: "devices", sensor: "sensors" } as const;

export function nodeHref(node: SimNode): string {
  return `/api/v2/${PLURAL[node.kind]}/${node.id}`;
}

export function channelHref(channel: SimChannel): string {
  return `/api/v2/channels/${channel.sensor.id}.${channel.number}`;
}

/** Reference object, JSON. */
export function nodeReference(node: SimNode, visibility: Visibility): string {
  const href = visibility.sees(node) ? nodeHref(node) : "restricted";
  return `{"id":"${node.id}","type":"REFERENCED_${node.kind.toUpperCase()}","name":${JSON.stringify(node.name)},"href":"${href}"}`;
}

/** Live servers have `REFERENCED_CHANNEL`, the specification only the type of its sensor. */
const CHANNEL_TYPE = { live: "REFERENCED_CHANNEL", specification: "REFERENCED_SENSOR" } as const;

export function channelReference(channel: SimChannel, spelling: SpellingName): string {
  const id = `${channel.sensor.id}.${channel.number}`;
  return `{"id":"${id}","type":"${CHANNEL_TYPE[spelling]}","name":${JSON.stringify(channel.name)},"href":"${channelHref(channel)}"}`;
}
