import type { TreeNode } from "../model/tree.ts";
import type { EventRecord } from "./event.ts";
import { type EventContext, eventRecord, nameOf } from "./status-event.ts";

export function presenceEvent(node: TreeNode, what: "added" | "removed", context: EventContext): EventRecord {
  const body = `${node.kind} ${nameOf(node)} was ${what}`;
  return eventRecord(`prtg.object.${what}`, draft(node, body, [], {}, context), context);
}

/** For an object's new place or name. What lies below it moves along silently. */
export function changeEvents(before: TreeNode, node: TreeNode, context: EventContext): readonly EventRecord[] {
  const events: EventRecord[] = [];
  if (before.name !== node.name) {
    const body = `${node.kind} ${nameOf(before)} was renamed to ${node.name}`;
    const attributes = { "prtg.object.old_name": before.name };
    events.push(
      eventRecord("prtg.object.renamed", draft(node, body, [before.name, node.name], attributes, context), context),
    );
  }
  const [from, to] = [before.parent?.id, node.parent?.id];
  if (from !== undefined && to !== undefined && from !== to) {
    const body = `${node.kind} ${nameOf(node)} was moved from ${before.path} to ${node.path}`;
    const attributes = { "prtg.object.old_path": before.path, "prtg.object.old_parent_id": from };
    events.push(eventRecord("prtg.object.moved", draft(node, body, [from, to], attributes, context), context));
  }
  return events;
}

/** No server says when: the time of the sight. */
function draft(
  node: TreeNode,
  body: string,
  uid: readonly string[],
  attributes: EventRecord["attributes"],
  { now }: EventContext,
) {
  return { node, timestamp: now, severity: "INFO", body, uid, attributes } as const;
}
