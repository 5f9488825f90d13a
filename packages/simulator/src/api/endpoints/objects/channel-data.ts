import { ApiError } from "../../../api-errors.ts";
import { requireObject } from "../../../auth/visibility.ts";
import { renderChannelData } from "../../../records/measurement.ts";
import type { SimChannel } from "../../../world/model.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { selectPage } from "../../lists.ts";
import type { Reply } from "../../reply.ts";

/** Last measurements with references to their channels. `filter` and `sort_by` are about the channels. */
export const CHANNEL_DATA: readonly Endpoint[] = [
  { operation: "listChannelData", access: "bearer", handle: (call) => dataOf(call, call.visible.channels()) },
  { operation: "listSensorData", access: "bearer", handle: sensorData },
];

/** Our reading of "a sensor-data-specific 4XX": a sensor that was never scanned has no data. */
function sensorData(call: Call): Reply {
  const { channels } = requireObject(call.visible, "sensor", call.params.id);
  const { world, now } = call.rendering;
  if (channels.every((channel) => world.lastMeasurement(channel, now) === undefined)) {
    throw new ApiError("WRONG_NODE_STATUS", "The sensor has no data: it was not scanned yet");
  }
  return dataOf(call, channels);
}

function dataOf(call: Call, channels: readonly SimChannel[]): Reply {
  return selectPage(call, [channels], { sortable: true }, (channel) => renderChannelData(channel, call.rendering));
}
