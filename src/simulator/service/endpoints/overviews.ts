import { requireObject } from "../access.ts";
import type { OperationId } from "../contract/types.ts";
import { type Call, type Endpoint, jsonReply } from "../endpoint.ts";
import { renderChannelInfo, renderNodeInfo, renderSensorInfo } from "../records/info.ts";

/** Single info records: those of the deprecated lists, as the lists show them without further parameters. */
export const OVERVIEWS: readonly Endpoint[] = [
  overview("getProbeOverview", (call) => nodeInfo(call, "probe")),
  overview("getGroupOverview", (call) => nodeInfo(call, "group")),
  overview("getDeviceOverview", (call) => nodeInfo(call, "device")),
  overview("getSensorOverview", ({ visible, params, rendering }) =>
    renderSensorInfo(requireObject(visible, "sensor", params.id), { allChannels: false }, rendering),
  ),
  overview("getChannelOverview", ({ visible, params, rendering }) =>
    renderChannelInfo(requireObject(visible, "channel", params.id), rendering),
  ),
];

function overview(operation: OperationId, render: (call: Call) => string): Endpoint {
  return { operation, access: "bearer", handle: (call) => jsonReply(render(call)) };
}

function nodeInfo({ visible, params, rendering }: Call, kind: "probe" | "group" | "device"): string {
  return renderNodeInfo(requireObject(visible, kind, params.id), { summary: false }, rendering);
}
