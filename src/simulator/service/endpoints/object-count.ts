import { type Call, type Endpoint, object, type Reply } from "../endpoint.ts";

export const OBJECT_COUNT: readonly Endpoint[] = [
  { method: "GET", path: "/objects/count", maturity: "stable", access: "bearer", paged: false, handle: count },
];

/**
 * "Count of objects per kind", whose field names were never seen. Ours: the specification's tokens of `type`, all eight
 * of them; on live servers plurals of the tree's kinds, as in the paths.
 */
function count({ visible, rendering }: Call): Reply {
  const probe = visible.nodes("probe").length;
  const group = visible.nodes("group").length;
  const device = visible.nodes("device").length;
  const sensor = visible.nodes("sensor").length;
  const channel = visible.channels().length;
  const counts =
    rendering.spelling.name === "live"
      ? { probes: probe, groups: group, devices: device, sensors: sensor, channels: channel }
      : { channel, device, group, library: 0, probe, sensor, user: 1, usergroup: 1 };
  return object(JSON.stringify(counts));
}
