import { NODE_KINDS } from "../model/tree.ts";
import type { NodeKind } from "../prtg/records.ts";
import {
  decodeStateText,
  encodeStateText,
  type StateFormat,
  stateFileName,
  type UnusableText,
  unusable,
} from "../sync/state-text.ts";

const FORMAT: StateFormat = { name: "prtg-exporter objects", version: 1, called: "a file of known objects" };
/** As in rules of `select`: an id with a dot is that of a channel. */
const ID = /^[^\s.]{1,50}$/;
/** Reading more one by one would take hours with the default budget; of a server that has more the first are remembered. */
export const MAX_OBJECTS = 200_000;

/** Ids by kind. What else there is to know of an object is in its own record. */
export type ObjectIds = ReadonlyMap<NodeKind, ReadonlySet<string>>;

export type DecodedObjects = { readonly ids: ObjectIds; readonly selection: string } | UnusableText;

/** Whether an id can be remembered: no server was seen with others. */
export function isObjectId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

/** Name of a server's file. */
export function objectsFileName(server: string): string {
  return stateFileName("objects", server, "json");
}

/** `selection`: print of what is selected of the server. */
export function encodeObjects(server: string, selection: string, ids: ObjectIds): string {
  return encodeStateText(
    FORMAT,
    server,
    { selection, objects: countOf(ids) },
    Object.fromEntries(NODE_KINDS.map((kind) => [kind, [...(ids.get(kind) ?? [])]])),
  );
}

/** Never throws. The file is taken whole or not at all. */
export function decodeObjects(text: string, server: string): DecodedObjects {
  const decoded = decodeStateText(FORMAT, text, server);
  if ("problem" in decoded) return decoded;
  const { about, body } = decoded;
  const ids = new Map<NodeKind, ReadonlySet<string>>();
  for (const kind of NODE_KINDS) {
    const listed: unknown = body[kind];
    if (!Array.isArray(listed) || !listed.every(isObjectId)) return unusable("torn", `it has no ids of each ${kind}`);
    ids.set(kind, new Set(listed));
  }
  const count = countOf(ids);
  if (count !== about.objects) return unusable("torn", "it lacks some of its objects");
  if (count > MAX_OBJECTS) return unusable("foreign", `it has more than ${MAX_OBJECTS} objects`);
  return { ids, selection: String(about.selection) };
}

function countOf(ids: ObjectIds): number {
  return NODE_KINDS.reduce((sum, kind) => sum + (ids.get(kind)?.size ?? 0), 0);
}
