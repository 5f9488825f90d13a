import { badRequest, notFound } from "../../../api-errors.ts";
import { renderNodeInfo, renderSensorInfo } from "../../../records/info.ts";
import { nodeHref } from "../../../records/references.ts";
import type { SimNode, World } from "../../../world/model.ts";
import type { NodeKind } from "../../../world/objects.ts";
import { isSensor } from "../../../world/objects.ts";
import { SENSOR_KINDS } from "../../../world/sensors/sensor-kinds.ts";
import type { Call, ProtectedEndpoint } from "../../endpoint.ts";
import { jsonReply, type Reply } from "../../reply.ts";
import { nodeOf, rejectInvalid } from "../../request-objects.ts";
import { checkCreatable } from "./creatable.ts";
import { readSettings, type SettingsBody } from "./settings-request.ts";

export const CREATIONS: readonly ProtectedEndpoint[] = [
  { operation: "createProbeDevice", access: "bearer", handle: (call) => create(call, "probe", "device") },
  { operation: "createProbeGroup", access: "bearer", handle: (call) => create(call, "probe", "group") },
  { operation: "createGroupDevice", access: "bearer", handle: (call) => create(call, "group", "device") },
  { operation: "createGroupGroup", access: "bearer", handle: (call) => create(call, "group", "group") },
  { operation: "createSensor", access: "bearer", handle: (call) => create(call, "device", "sensor") },
];

async function create(call: Call, parentKind: NodeKind, kind: "group" | "device" | "sensor"): Promise<Reply> {
  const body = await call.readBody<SettingsBody>();
  const { world } = call.rendering;
  const parent = nodeOf(call, parentKind);
  const type = kind === "sensor" ? sensorType(call) : undefined;
  if (type !== undefined) checkCreatable(type, parent, world, call.now);
  const settings = readSettings(body, {
    kind,
    base: parent,
    creates: true,
    checkDependency: (id) => {
      if (call.visible.node(id) === undefined) throw notFound(`There is no object ${id} to depend on`);
    },
  });
  const { name = SENSOR_KINDS.get(type ?? "")?.typeName ?? "" } = settings;
  const { now } = call;
  const node = rejectInvalid(() => add(world, { kind, parent, name, type, now }));
  try {
    rejectInvalid(() => world.edit(node.id, settings, now));
  } catch (error) {
    world.remove(node.id, now);
    throw error;
  }
  call.installation.pendingObjects.add(node);
  const record = isSensor(node)
    ? renderSensorInfo(node, { allChannels: true }, call.rendering)
    : renderNodeInfo(node, { summary: false }, call.rendering);
  return jsonReply(`[${record}]`, { status: 201, headers: { Location: nodeHref(node) } });
}

interface NewNode {
  readonly kind: "group" | "device" | "sensor";
  readonly parent: SimNode;
  readonly name: string;
  readonly type: string | undefined;
  readonly now: number;
}

function add(world: World, { kind, parent, name, type, now }: NewNode): SimNode {
  if (kind === "group") return world.addGroup(parent.id, name, now);
  return kind === "device" ? world.addDevice(parent.id, name, now) : world.addSensor(parent.id, name, now, type);
}

/** What says the kind of a new sensor is not shown. Ours: `kindid`, as clients of live servers send it. */
function sensorType({ query }: Call): string {
  const type = query.get("kindid") ?? "";
  if (!SENSOR_KINDS.has(type)) throw badRequest(`kindid: there is no kind of sensor ${type}`);
  return type;
}
