import type { Call, Endpoint, Reply } from "../endpoint.ts";
import { booleanParameter } from "../query.ts";
import { renderChannelInfo, renderNodeInfo, renderSensorInfo } from "../records/info.ts";
import { selectPage } from "../selection.ts";

const SORTABLE = { sortable: true };

/** The lists of info records, each with a successor below `/experimental`. */
export const DEPRECATED_LISTS: readonly Endpoint[] = [
  deprecated("/probes", (call) => nodeList(call, "probe")),
  deprecated("/groups", (call) => nodeList(call, "group")),
  deprecated("/devices", (call) => nodeList(call, "device")),
  deprecated("/sensors", sensorList),
  deprecated("/channels", (call) =>
    selectPage(call, [call.visible.channels()], SORTABLE, (channel) => renderChannelInfo(channel, call.rendering)),
  ),
];

function deprecated(path: string, handle: (call: Call) => Reply): Endpoint {
  return { method: "GET", path, maturity: "deprecated", access: "bearer", paged: true, handle };
}

function nodeList(call: Call, kind: "probe" | "group" | "device"): Reply {
  const options = { summary: booleanParameter(call.query, "sensor_status_summary") };
  return selectPage(call, [call.visible.nodes(kind)], SORTABLE, (node) =>
    renderNodeInfo(node, options, call.rendering),
  );
}

function sensorList(call: Call): Reply {
  const options = { allChannels: booleanParameter(call.query, "include_all_channels") };
  return selectPage(call, [call.visible.nodes("sensor")], SORTABLE, (sensor) =>
    renderSensorInfo(sensor, options, call.rendering),
  );
}
