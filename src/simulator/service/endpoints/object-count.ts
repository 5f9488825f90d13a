import { LIBRARIES } from "../../catalog/libraries.ts";
import { type Call, type Endpoint, jsonReply, type Reply } from "../endpoint.ts";
import { visibleGroups, visibleUsers } from "../visible-accounts.ts";

export const OBJECT_COUNT: readonly Endpoint[] = [{ operation: "countObjects", access: "bearer", handle: count }];

/**
 * "Count of objects per kind", whose field names were never seen. Ours: the specification's tokens of `type`, all eight
 * of them; on live servers plurals of the tree's kinds, as in the paths.
 */
function count(call: Call): Reply {
  const { visible, rendering } = call;
  const probe = visible.nodes("probe").length;
  const group = visible.nodes("group").length;
  const device = visible.nodes("device").length;
  const sensor = visible.nodes("sensor").length;
  const channel = visible.channels().length;
  const counts =
    rendering.spelling.name === "live"
      ? { probes: probe, groups: group, devices: device, sensors: sensor, channels: channel }
      : { channel, device, group, library: LIBRARIES.length, probe, sensor, ...accountsOf(call) };
  return jsonReply(JSON.stringify(counts));
}

/** Those that the user sees, as everything that is counted. */
function accountsOf(call: Call): { user: number; usergroup: number } {
  return { user: visibleUsers(call).length, usergroup: visibleGroups(call).length };
}
