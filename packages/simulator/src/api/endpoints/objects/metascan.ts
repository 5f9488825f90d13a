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

/** Live servers look for what sensors of one kind could monitor; by the specification they may do anything. */
async function startMetascan(call: Call): Promise<Reply> {
  return call.rendering.spelling.name === "live" ? lookFor(call, await call.readBody()) : propose(call);
}

/**
 * What a client of live servers sends and gets: the parameter `kind`, an object as the body, which may be empty, and for each
 * disk or the like the field that the new sensor needs, and words about it in `info`.
 */
function lookFor({ query, rendering, now, ...call }: Call, body: unknown): Reply {
  const device = nodeOf({ query, rendering, now, ...call }, "device");
  if (body === undefined) throw badRequest("EOF");
  const type = query.get("kind") ?? "";
  const kind = SENSOR_KINDS.get(type);
  if (kind === undefined) throw badRequest(`kind: there is no kind of sensor ${type}`);
  if (kind.names.length === 1 && !isNumbered(kind)) throw badRequest("sensor kind does not support metascan");
  checkCreatable(type, device, rendering.world, now);
  const field = FIELDS.find((name) => type.includes(name)) ?? "item";
  const found = proposals(kind, device).map(({ name }) => ({
    [field]: name,
    info: { [field]: name, type: kind.typeName },
  }));
  return jsonReply(JSON.stringify(found), { status: 201 });
}

/** What tells the sensors of a kind apart; only that of disks was seen. */
const FIELDS = ["disk", "traffic", "service"] as const;

/**
 * Nothing is shown of it. Ours: it answers at once with a list of the sensors that could be created on the device, of one
 * kind with `kindid` and of all without: the kind, and a name that no sensor of the kind has there yet.
 */
function propose(call: Call): Reply {
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

function isNumbered({ names }: Pick<SensorKind, "names">): boolean {
  return names.some((name) => name.includes("{n}"));
}

function proposals({ type, typeName, names }: SensorKind, device: SimNode): { kind: string; name: string }[] {
  const taken = new Set(device.children.filter((child) => child.type === type).map(({ name }) => name));
  const count = Math.max(names.length, isNumbered({ names }) ? MAX_PROPOSED : 1);
  return Array.from({ length: count }, (_, index) => {
    return (names[index % names.length] ?? typeName).replaceAll("{n}", String(index + 1));
  })
    .filter((name) => !taken.has(name))
    .map((name) => ({ kind: type, name }));
}
