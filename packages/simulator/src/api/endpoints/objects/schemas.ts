import { badRequest, notFound } from "../../../api-errors.ts";
import { AVAILABLE, type Include, parseInclude } from "../../../records/include.ts";
import { readSchema, userReadSchema } from "../../../records/read-schemas.ts";
import { type JsonSchema, userWriteSchema, writeSchema } from "../../../records/setting-schemas.ts";
import type { SimNode } from "../../../world/model.ts";
import type { NodeKind } from "../../../world/objects.ts";
import { isChannel, kindOf, type SimObject } from "../../../world/objects.ts";
import { SENSOR_KINDS } from "../../../world/sensors/sensor-kinds.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { pageOf } from "../../lists.ts";
import { jsonReply, type Reply } from "../../reply.ts";
import { type CreatableKind, hintsAgainst, kindsBelow } from "./creatable.ts";

/** What kinds of objects there are, and what settings they have. */
export const SCHEMAS: readonly Endpoint[] = [
  { operation: "getSchema", access: "bearer", handle: schemaOfKind },
  { operation: "listCreatableKinds", access: "bearer", handle: listKinds },
  { operation: "listCreatableTypes", access: "bearer", handle: listTypes },
  { operation: "getReadSchema", access: "bearer", handle: schemaToRead },
  { operation: "getEditSchema", access: "bearer", handle: schemaToEdit },
  { operation: "getCreateSchema", access: "bearer", handle: schemaToCreate },
];

type Purpose = "create" | "update" | "read";

/** "purpose: create, update, read; default read"; "parent: needed when purpose is create". */
function schemaOfKind(call: Call): Reply {
  const kind = call.params.kind ?? "";
  const purpose = (call.query.get("purpose") ?? "read") as Purpose;
  const sensorKind = SENSOR_KINDS.get(kind);
  if (kind !== "user" && kind !== "device" && kind !== "group" && sensorKind === undefined) throw notFound();
  const name = sensorKind?.typeName ?? `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  if (purpose === "create") checkParent(call, kind);
  const nodeKind = kind === "user" ? undefined : sensorKind === undefined ? (kind as NodeKind) : "sensor";
  if (nodeKind === undefined) return definition({ kind, name, purpose }, userSchema(call, purpose));
  const all = parseInclude("all_sections", AVAILABLE[nodeKind]);
  return definition({ kind, name, purpose }, schemaFor(call, nodeKind, purpose, all));
}

/** The parent of a user is the group that he is to be in. */
function checkParent({ query, visible, installation, principal }: Call, kind: string): void {
  const parent = query.get("parent");
  if (parent === null || parent === "") throw badRequest("parent is required for the purpose create");
  if (kind === "user") {
    if (installation.directory.group(parent) === undefined || !principal.account.administrator) throw notFound();
    return;
  }
  const node = visible.node(parent);
  if (node === undefined) throw notFound();
  requireKind(node, kind);
}

function listKinds(call: Call): Reply {
  const parent = parentOf(call);
  const { world } = call.rendering;
  return pageOf(call, [kindsBelow(parent)], (creatable) => {
    const { kind, name, description } = creatable;
    const hints = hintsAgainst(creatable, parent, world, call.now);
    const href = `/api/v2/experimental/schemas/${parent.id}/post?kind=${encodeURIComponent(kind)}`;
    const reasons = hints.length === 0 ? null : hints;
    const texts = { name, href, description, help: null, Manual: null };
    return JSON.stringify({ creatable: hints.length === 0, hints: reasons, kind, ...texts });
  });
}

/** "`Description` (string, sensor schemas only)". */
function listTypes(call: Call): Reply {
  return pageOf(call, [kindsBelow(parentOf(call))], ({ kind, name, description, sensorKind }) =>
    JSON.stringify({ ID: kind, Name: name, ...(sensorKind === undefined ? {} : { Description: description }) }),
  );
}

function schemaToRead(call: Call): Reply {
  const { visible, params, query } = call;
  const id = params.id ?? "";
  const object: SimObject | undefined = id.includes(".") ? visible.channel(id) : visible.node(id);
  if (object === undefined) throw notFound();
  const kind = kindOf(object);
  const include = parseInclude(query.get("include"), AVAILABLE[kind]);
  const schema = readSchema(kind, include, call.rendering.spelling.name);
  return definition({ ...named(object), purpose: "read" }, schema);
}

/** There is a way to edit groups, devices and sensors; what cannot be edited has no such schema. */
function schemaToEdit(call: Call): Reply {
  const node = call.visible.node(call.params.id ?? "");
  if (node === undefined) throw notFound();
  const kind = kindOf(node);
  if (kind === "probe" || kind === "channel") throw notFound(`Resource not found at this endpoint: a ${kind} has none`);
  const include = parseInclude(call.query.get("include"), AVAILABLE[kind]);
  return definition({ ...named(node), purpose: "update" }, schemaFor(call, kind, "update", include));
}

function schemaToCreate(call: Call): Reply {
  const { kind, name, sensorKind } = requireKind(parentOf(call), call.query.get("kind") ?? "");
  const nodeKind = sensorKind === undefined ? (kind as NodeKind) : "sensor";
  const include = parseInclude(call.query.get("include"), AVAILABLE[nodeKind]);
  return definition({ kind, name, purpose: "create" }, schemaFor(call, nodeKind, "create", include));
}

function schemaFor({ rendering }: Call, kind: NodeKind, purpose: Purpose, include: Include): JsonSchema {
  if (purpose === "read") return readSchema(kind, include, rendering.spelling.name);
  return writeSchema({ kind, sections: include.sections, creates: purpose === "create" });
}

function userSchema({ rendering }: Call, purpose: Purpose): JsonSchema {
  return purpose === "read" ? userReadSchema(rendering.spelling.name) : userWriteSchema(purpose === "create");
}

interface SchemaSubject {
  readonly kind: string;
  readonly name: string;
  readonly purpose: Purpose;
}

/** A "schema definition" has no shape shown: ours, a JSON Schema and what it is about. */
function definition(what: SchemaSubject, schema: JsonSchema): Reply {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return jsonReply(JSON.stringify({ ...what, schema: { $schema, ...schema } }));
}

function named(object: SimObject): Pick<SchemaSubject, "kind" | "name"> {
  if (isChannel(object)) return { kind: "channel", name: "Channel" };
  return { kind: object.type, name: object.typeName };
}

function parentOf({ visible, params }: Call): SimNode {
  const node = visible.node(params.parent ?? "");
  if (node === undefined) throw notFound();
  return node;
}

/** @throws RequestRefused BAD_REQUEST for what the parent cannot hold */
function requireKind(parent: SimNode, kind: string): CreatableKind {
  const found = kindsBelow(parent).find((known) => known.kind === kind);
  if (found === undefined) throw badRequest(`kind: a ${parent.kind} cannot hold a ${JSON.stringify(kind)}`);
  return found;
}
