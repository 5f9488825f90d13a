import { createHash } from "node:crypto";
import { oneLine } from "../lib/printable-text.ts";
import type { NodeState } from "../model/node-state.ts";
import type { TreeNode } from "../model/tree.ts";
import { STATUSES, type StatusGroup, type StatusToken, statusCode } from "../prtg/status.ts";
import {
  type AttributeValue,
  type EventAttributes,
  type EventRecord,
  PRTG_ATTRIBUTES as PRTG,
  SEVERITIES,
  type SeverityText,
} from "./event.ts";
import type { EventName } from "./event-names.ts";

/** The last reported status of an object. */
export interface LastStatus {
  readonly status: StatusToken;
  readonly since: number | undefined;
}

export interface StatusChange {
  readonly from: LastStatus;
  readonly to: StatusToken;
  /** Begin, milliseconds since the epoch. `undefined` if the server does not say. */
  readonly at: number | undefined;
  /** The server's words about the new status. */
  readonly message: string | undefined;
  /** No poll saw the status, but the record proves it. */
  readonly isInferred: boolean;
}

/** About a node's status, in a list. */
export type StatusFacts = Pick<NodeState, "message" | "lastUp" | "lastDown">;

/**
 * The changes between the reported and the new status, oldest first. If a sensor is down in neither, but was down in
 * between, there are two changes. The same holds for up.
 * @param since Begin of the new status.
 */
export function changesBetween(
  last: LastStatus,
  status: StatusToken,
  since: number | undefined,
  facts: StatusFacts,
): readonly StatusChange[] {
  const between = provenBetween(last, status, since, facts);
  if (between.length === 0 && status === last.status) return [];
  const changes: StatusChange[] = [];
  let from = last;
  for (const [to, at] of between) {
    changes.push({ from, to, at, message: undefined, isInferred: true });
    from = { status: to, since: at };
  }
  // A status cannot begin before the previous one.
  const at = since !== undefined && since > (last.since ?? Number.NEGATIVE_INFINITY) ? since : undefined;
  const isInferred = status === last.status;
  changes.push({ from, to: status, at, message: facts.message, isInferred });
  return changes;
}

function provenBetween(
  last: LastStatus,
  status: StatusToken,
  since: number | undefined,
  { lastUp, lastDown }: StatusFacts,
): readonly (readonly [StatusToken, number])[] {
  if (last.since === undefined || since === undefined) return [];
  const begin = last.since;
  const isBetween = (at: number | undefined) => at !== undefined && at > begin && at < since;
  const proven: (readonly [StatusToken, number])[] = [];
  const scans = [STATUSES[last.status].scan, STATUSES[status].scan];
  if (lastDown !== undefined && isBetween(lastDown) && !scans.includes("failed")) proven.push(["down", lastDown]);
  if (lastUp !== undefined && isBetween(lastUp) && !scans.includes("worked")) proven.push(["up", lastUp]);
  return proven.toSorted(([, a], [, b]) => a - b);
}

/** An attribute has the whole message. */
const MAX_BODY_LENGTH = 1_024;

/** "(code: PE018)" at the end of many messages. */
const ERROR_CODE = /\(code: ([A-Za-z]{1,4}\d{1,6})\)/;

/** Others are information. */
const SEVERITY_OF_GROUP: Partial<Record<StatusGroup, SeverityText>> = {
  down: "ERROR",
  warning: "WARN",
  acknowledged: "WARN",
};

/** The same for all events of a poll. */
export interface EventContext {
  readonly server: string;
  /** The exporter's clock, milliseconds since the epoch. */
  readonly now: number;
  /** The device of an object. `undefined` if unknown. */
  readonly deviceOf: (node: TreeNode) => EventDevice | undefined;
}

/** Facts besides id and names. */
export interface EventDevice {
  /** As configured; may be empty. */
  readonly host?: string | undefined;
  readonly path: string;
}

function severityOf(status: StatusToken): SeverityText {
  return SEVERITY_OF_GROUP[STATUSES[status].group] ?? "INFO";
}

export function statusEvent(node: TreeNode, change: StatusChange, context: EventContext): EventRecord {
  const { from, to, message = "", isInferred } = change;
  const timestamp = change.at ?? context.now;
  const { text, words = text.toLowerCase() } = STATUSES[to];
  const seconds = from.since === undefined ? undefined : (timestamp - from.since) / 1_000;
  const errorType = severityOf(to) === "ERROR" ? ERROR_CODE.exec(message)?.[1] : undefined;
  return eventRecord(
    node.kind === "sensor" ? "prtg.sensor.status_change" : "prtg.node.status_change",
    {
      node,
      timestamp,
      severity: severityOf(to),
      body: `${nameOf(node)} is ${words}${message === "" ? "" : `: ${message}`}`,
      uid: [to, from.status],
      attributes: {
        [PRTG.statusOld]: from.status,
        [PRTG.statusOldCode]: statusCode(from.status),
        [PRTG.statusNew]: to,
        [PRTG.statusNewCode]: statusCode(to),
        // A clock that went back may make it negative.
        [PRTG.statusOldDuration]: seconds !== undefined && seconds >= 0 ? seconds : "",
        [PRTG.statusMessage]: message,
        "error.type": errorType ?? "",
        ...(isInferred && { "prtg.event.inferred": true }),
      },
    },
    context,
  );
}

interface EventDraft {
  readonly node: TreeNode;
  /** Default: now, because no server reports the time of a change in the structure. */
  readonly timestamp?: number;
  readonly severity?: SeverityText;
  readonly body: string;
  /** Identifies the event, with server, object, name and time. */
  readonly uid?: readonly string[];
  readonly attributes?: EventAttributes;
}

function eventRecord(eventName: EventName, draft: EventDraft, context: EventContext): EventRecord {
  const { server, now, deviceOf } = context;
  const { node, timestamp = now, severity = "INFO", body, uid = [], attributes } = draft;
  const identity = JSON.stringify([server, node.id, eventName, String(timestamp), ...uid]);
  return {
    uid: createHash("sha256").update(identity).digest("hex").slice(0, 32),
    eventName,
    timestamp,
    observedTimestamp: now,
    severityText: severity,
    severityNumber: SEVERITIES[severity],
    body: oneLine(body).slice(0, MAX_BODY_LENGTH).toWellFormed(),
    attributes: known({ [PRTG.serverName]: server, ...attributes, ...objectAttributes(node, deviceOf(node)) }),
  };
}

/** A sensor with its device. */
export function nameOf({ kind, name, device, id }: TreeNode): string {
  const text = name === "" ? `${kind} ${id}` : name;
  return kind === "sensor" && device !== "" ? `${text} on ${device}` : text;
}

function objectAttributes(node: TreeNode, onDevice: EventDevice | undefined): EventAttributes {
  const { kind, id, name, path, priority, tags, typeName, probe, group, device, deviceId } = node;
  return {
    [PRTG.objectKind]: kind,
    [PRTG.objectId]: id,
    [PRTG.objectName]: name,
    [PRTG.objectPath]: path,
    [PRTG.objectType]: typeName,
    [PRTG.objectPriority]: priority ?? "",
    [PRTG.objectTags]: tags,
    [PRTG.probeName]: probe,
    [PRTG.groupName]: group,
    [PRTG.deviceId]: deviceId,
    [PRTG.deviceName]: device,
    [PRTG.devicePath]: onDevice?.path ?? "",
    "server.address": onDevice?.host ?? "",
    ...(kind === "sensor" && { [PRTG.sensorId]: id, [PRTG.sensorName]: name }),
  };
}

/** Removes empty values and lone surrogates. */
function known(attributes: EventAttributes): EventAttributes {
  const wellFormed: { [name: string]: AttributeValue } = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === "") continue;
    if (typeof value === "string") wellFormed[name] = value.toWellFormed();
    else if (typeof value !== "object") wellFormed[name] = value;
    else if (value.length > 0) wellFormed[name] = value.map((each) => each.toWellFormed());
  }
  return wellFormed;
}

export function presenceEvent(node: TreeNode, what: "added" | "removed", context: EventContext): EventRecord {
  const body = `${node.kind} ${nameOf(node)} was ${what}`;
  return eventRecord(`prtg.object.${what}`, { node, body }, context);
}

/** Events of a new name or place. Objects below get no events. */
export function changeEvents(before: TreeNode, node: TreeNode, context: EventContext): readonly EventRecord[] {
  const events: EventRecord[] = [];
  if (before.name !== node.name) {
    const body = `${node.kind} ${nameOf(before)} was renamed to ${node.name}`;
    const attributes = { "prtg.object.old_name": before.name };
    events.push(eventRecord("prtg.object.renamed", { node, body, uid: [before.name, node.name], attributes }, context));
  }
  const [from, to] = [before.parent?.id, node.parent?.id];
  if (from !== undefined && to !== undefined && from !== to) {
    const body = `${node.kind} ${nameOf(node)} was moved from ${before.path} to ${node.path}`;
    const attributes = { "prtg.object.old_path": before.path, "prtg.object.old_parent_id": from };
    events.push(eventRecord("prtg.object.moved", { node, body, uid: [from, to], attributes }, context));
  }
  return events;
}
