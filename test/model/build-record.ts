import type { NodeKind, NodeRecord } from "../../src/prtg/node-record.ts";
import type { ListResult, Reference } from "../../src/prtg/records.ts";

/** Reference to a parent or ancestor. */
export function reference(id: string, name?: string, kind?: string): Reference {
  return { id, name, kind };
}

export const ROOT = reference("0", "Root", "root");

/** List record. `parent`: reference or id. */
export function record(
  kind: NodeKind,
  id: string,
  parent: Reference | string | undefined,
  more: Partial<NodeRecord> = {},
): NodeRecord {
  return {
    id,
    kind,
    name: `${kind} ${id}`,
    parent: typeof parent === "string" ? reference(parent) : parent,
    ancestors: undefined,
    status: "up",
    statusSince: undefined,
    message: undefined,
    lastUp: undefined,
    lastDown: undefined,
    type: kind,
    typeName: kind,
    priority: 3,
    tags: [],
    favorite: false,
    host: kind === "device" ? "192.0.2.1" : undefined,
    intervalSeconds: undefined,
    downDelay: undefined,
    dependsOn: undefined,
    summary: undefined,
    ...more,
  };
}

export function list<Item>(items: readonly Item[], complete = true): ListResult<Item> {
  return { items, complete, skipped: 0 };
}
