import { badRequest } from "../../../api-errors.ts";
import type { SimNode } from "../../../world/model.ts";
import type { SensorKind } from "../../../world/sensors/sensor-kind.ts";
import { SENSOR_KINDS } from "../../../world/sensors/sensor-kinds.ts";
import type { Call, ProtectedEndpoint } from "../../endpoint.ts";
import { jsonReply, type Reply } from "../../reply.ts";
import { nodeOf } from "../../request-objects.ts";
import { checkCreatable, hintsAgainst, kindsBelow } from "./creatable.ts";

export const METASCAN: readonly ProtectedEndpoint[] = [
  { operation: "startMetascan", access: "bearer", handle: startMetascan },
];

/**
 * Nothing is shown of it. Ours: it answers at once with a list of the sensors that could be created on the device, of one
 * kind with `kindid` and of all without: the kind, and a name that no sensor of the kind has there yet.
 */
function startMetascan(call: Call): Reply {
  const device = nodeOf(call, "device");
  return jsonReply(JSON.stringify(kindsAsked(call, device).flatMap((kind) => proposals(kind, device))));
}

function kindsAsked({ query, rendering, now }: Call, device: SimNode): readonly SensorKind[] {
  const { world } = rendering;
  const type = query.get("kindid");
  if (type === null) {
    const possible = kindsBelow(device).filter((kind) => hintsAgainst(kind, device, world, now).length === 0);
    return possible.flatMap(({ sensorKind }) => sensorKind ?? []);
  }
  const kind = SENSOR_KINDS.get(type);
  if (kind === undefined) throw badRequest(`kindid: there is no kind of sensor ${type}`);
  checkCreatable(type, device, world, now);
  return [kind];
}

/** Drives, ports and services are numbered; the rest is there once. */
const MAX_PROPOSED = 8;

function proposals({ type, typeName, names }: SensorKind, device: SimNode): { kind: string; name: string }[] {
  const taken = new Set(device.children.filter((child) => child.type === type).map(({ name }) => name));
  const numbered = names.some((name) => name.includes("{n}"));
  const count = Math.max(names.length, numbered ? MAX_PROPOSED : 1);
  return Array.from({ length: count }, (_, index) => {
    return (names[index % names.length] ?? typeName).replaceAll("{n}", String(index + 1));
  })
    .filter((name) => !taken.has(name))
    .map((name) => ({ kind: type, name }));
}
