import { notFound } from "../../../api-errors.ts";
import { visibleGroups, visibleUsers } from "../../../auth/visible-accounts.ts";
import { LIBRARIES } from "../../../installation/libraries.ts";
import { renderSummary } from "../../../records/summary.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { jsonReply, type Reply } from "../../reply.ts";

export const OBJECT_COUNT: readonly Endpoint[] = [{ operation: "countObjects", access: "bearer", handle: count }];

/** Field names were never seen. Ours: the tokens of `type`; on live servers the plurals of the paths. */
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

export const SUMMARIES: readonly Endpoint[] = [
  {
    operation: "getSensorStatusSummary",
    access: "bearer",
    handle: ({ rendering }) =>
      jsonReply(renderSummary(rendering.summaries.of(rendering.world.root), rendering.spelling)),
  },
  { operation: "getSensorStatusSummaryOf", access: "bearer", handle: summaryOf },
];

/** "ID of a probe, group or device", the root being a group. */
function summaryOf({ visible, params, rendering }: Call): Reply {
  const node = visible.node(params.id ?? "");
  if (node === undefined || node.kind === "sensor") throw notFound();
  return jsonReply(renderSummary(rendering.summaries.of(node), rendering.spelling));
}
