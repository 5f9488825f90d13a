import { requireObject } from "../../../auth/visibility.ts";
import { renderChannelInfo, renderNodeInfo, renderObjectInfo, renderSensorInfo } from "../../../records/info.ts";
import type { SimSensor, SimStatus } from "../../../world/model.ts";
import type { OperationId } from "../../contract/types.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { selectPage } from "../../lists.ts";
import { booleanParameter } from "../../parameters.ts";
import { jsonReply, type Reply } from "../../reply.ts";

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

const SORTABLE = { sortable: true };

/** The lists of info records, each with a successor below `/experimental`. */
export const DEPRECATED_LISTS: readonly Endpoint[] = [
  deprecated("listProbeInfo", (call) => nodeList(call, "probe")),
  deprecated("listGroupInfo", (call) => nodeList(call, "group")),
  deprecated("listDeviceInfo", (call) => nodeList(call, "device")),
  deprecated("listSensorInfo", (call) => sensorList(call, call.visible.nodes("sensor"))),
  deprecated("listAlarms", (call) => sensorList(call, alarmsOf(call))),
  // The only one of them without `sort_by`.
  deprecated("listObjectInfo", (call) => {
    const options = { summary: booleanParameter(call.query, "sensor_status_summary") };
    return selectPage(call, call.visible.objects(), { sortable: false }, (object) =>
      renderObjectInfo(object, options, call.rendering),
    );
  }),
  deprecated("listChannelInfo", (call) =>
    selectPage(call, [call.visible.channels()], SORTABLE, (channel) => renderChannelInfo(channel, call.rendering)),
  ),
];

function deprecated(operation: OperationId, handle: (call: Call) => Reply): Endpoint {
  return { operation, access: "bearer", handle };
}

function nodeList(call: Call, kind: "probe" | "group" | "device"): Reply {
  const options = { summary: booleanParameter(call.query, "sensor_status_summary") };
  return selectPage(call, [call.visible.nodes(kind)], SORTABLE, (node) =>
    renderNodeInfo(node, options, call.rendering),
  );
}

function sensorList(call: Call, sensors: readonly SimSensor[]): Reply {
  const options = { allChannels: booleanParameter(call.query, "include_all_channels") };
  return selectPage(call, [sensors], SORTABLE, (sensor) => renderSensorInfo(sensor, options, call.rendering));
}

/** What the product lists under its alarms, acknowledged or not. */
const ALARMING: ReadonlySet<SimStatus> = new Set(["down", "partialdown", "acknowledged", "warning", "unusual"]);

function alarmsOf({ visible, rendering: { world, now } }: Call): readonly SimSensor[] {
  return visible.nodes("sensor").filter((sensor) => ALARMING.has(world.state(sensor, now).status));
}
