import { DEVICE_ICONS } from "../../catalog/device-icons.ts";
import { DEVICE_TEMPLATES } from "../../catalog/device-templates.ts";
import { type Endpoint, jsonReply, type Reply } from "../endpoint.ts";

/** What devices can be made after and shown with. */
export const DEVICE_CATALOG: readonly Endpoint[] = [
  { operation: "listDeviceTemplates", access: "bearer", handle: listTemplates },
  { operation: "listDeviceIcons", access: "bearer", handle: listIcons },
];

/** Fields of a template are not shown: ours. */
function listTemplates(): Reply {
  const templates = DEVICE_TEMPLATES.map(({ id, name, sensorKinds }) => ({ id, name, sensor_kinds: sensorKinds }));
  return jsonReply(JSON.stringify(templates));
}

/** Where the pictures are is not stated; the simulator has none. */
function listIcons(): Reply {
  const icons = DEVICE_ICONS.map(({ id, extensions }) => ({ id, href: `/icons/devices/${id}`, extensions }));
  return jsonReply(JSON.stringify(icons));
}
