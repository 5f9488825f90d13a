import { MAX_ANCESTORS, MAX_TAGS, MAX_WORD_LENGTH } from "../answer-bounds.ts";
import { type NodeKind, type NodeRecord, READING_ORDER, type Reference, type StatusSummary } from "../records.ts";
import { readCount, readNumber } from "./displayed.ts";
import { readSummary } from "./system-records.ts";
import {
  booleanOf,
  type DecodeProblems,
  idOf,
  isAbsent,
  isObject,
  type JsonObject,
  readStatus,
  readTimestamp,
  sharedText,
  text,
} from "./values.ts";

const NO_SECTION: JsonObject = {};

/**
 * A probe, group, device or sensor, as a tree node (settings in sections such as `basic`) or in the flat form of the
 * deprecated lists. Undefined, and counted, when it has no id, or says that it is of another kind; anything else that is wrong costs only its own field.
 */
export function decodeNode(kind: NodeKind, record: unknown, problems: DecodeProblems): NodeRecord | undefined {
  const id = isObject(record) ? idOf(record.id) : undefined;
  if (!isObject(record) || id === undefined || isOfOtherKind(record, kind)) {
    problems.record++;
    return undefined;
  }
  const basic = isObject(record.basic) ? record.basic : NO_SECTION;
  const ancestors = readPath(record.path);
  const isSensor = kind === "sensor";
  return {
    id,
    kind,
    name: text(record.name) ?? text(basic.name) ?? "",
    parent: readReference(record.parent) ?? parentFromPath(id, ancestors),
    ancestors,
    status: readStatus(record.status, problems),
    statusSince: readTimestamp(record.status_since, problems),
    message: isSensor ? readMessage(record.message) : undefined,
    lastUp: isSensor ? readTimestamp(record.lastup, problems) : undefined,
    lastDown: isSensor ? readTimestamp(record.lastdown, problems) : undefined,
    type: withoutVersion(text(record.kind) ?? text(record.sensor_kind) ?? ""),
    typeName: text(record.kind_name) ?? "",
    priority: readPriority(basic.priority ?? record.priority),
    tags: readTags(basic.tags ?? record.tags, problems),
    favorite: booleanOf(record.favorite ?? basic.favorite),
    host: kind === "device" ? readHost(basic, record) : undefined,
    intervalSeconds: readInterval(record, problems),
    summary: readNodeSummary(record, problems),
  };
}

const KINDS: ReadonlySet<string | undefined> = new Set(["probe", "group", "device", "sensor", "channel"]);

/** What a record of a list of all objects is; undefined where it is none of these, or does not say. */
export function nodeKindOf(record: unknown): NodeKind | undefined {
  const told = isObject(record) ? referenceKind(record.type) : undefined;
  return READING_ORDER.find((kind) => kind === told);
}

/** A server that does not look at filters sends objects of all kinds. */
function isOfOtherKind({ type }: JsonObject, kind: NodeKind): boolean {
  const told = referenceKind(type);
  return told !== kind && KINDS.has(told);
}

/** Deprecated lists have no `parent`, but the path from the root to the object. */
function parentFromPath(id: string, ancestors: readonly Reference[] | undefined): Reference | undefined {
  const last = ancestors?.at(-1);
  return last?.id === id ? ancestors?.at(-2) : last;
}

/** `paessler.snmp.cpu_usage_sensor.65` names the same type whatever its version. */
function withoutVersion(type: string): string {
  return type.replace(/\.\d+$/, "");
}

/** Of scripts with an output of several lines. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * As one line: control characters and breaks are a blank, lone surrogates U+FFFD. Markup, which live servers send, is text
 * like any other. Most sensors say the same.
 */
function readMessage(value: unknown): string | undefined {
  const message = text(value)?.replace(BREAKS, " ").trim().toWellFormed();
  return message === undefined || message === "" ? undefined : sharedText(message);
}

function readPriority(value: unknown): number | undefined {
  const priority = readCount(value);
  return priority !== undefined && priority >= 1 && priority <= 5 ? priority : undefined;
}

/** One for all: an empty list of its own would be 32 bytes on the heap for each object without tags. */
const NO_TAGS: readonly string[] = Object.freeze([]);

/** The first ones, of more than any object has. */
function readTags(value: unknown, problems: DecodeProblems): readonly string[] {
  const given: readonly unknown[] =
    typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  const tags = given.filter((tag): tag is string => typeof tag === "string" && tag !== "");
  if (tags.length === 0) return NO_TAGS;
  if (tags.length <= MAX_TAGS) return tags;
  problems.text++;
  return tags.slice(0, MAX_TAGS);
}

/** The address in use: a device that is monitored over IPv6 has its address in `hostv6`. */
function readHost(basic: JsonObject, record: JsonObject): string | undefined {
  return [basic.host, record.host, basic.hostv6].map(text).find((host) => host !== undefined && host !== "");
}

function readInterval(record: JsonObject, problems: DecodeProblems): number | undefined {
  const section = record.intervalgroup;
  return readIntervalSeconds(isObject(section) ? section.interval : record.scanning_interval, problems);
}

function readNodeSummary(record: JsonObject, problems: DecodeProblems): StatusSummary | undefined {
  return isAbsent(record.sensor_status_summary) ? undefined : readSummary(record.sensor_status_summary, problems);
}

/**
 * A reference object of the specification. Undefined when there is none that can be used.
 * `href` is not read: it is `restricted` where the user may not see the object, id and name are there all the same.
 */
function readReference(value: unknown): Reference | undefined {
  if (!isObject(value)) return undefined;
  const id = idOf(value.id);
  if (id === undefined) return undefined;
  return { id, name: text(value.name), kind: referenceKind(value.type) };
}

/** References of a `path` section, from the root down; undefined when there is no such list. */
function readPath(value: unknown): readonly Reference[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(-MAX_ANCESTORS)
    .map(readReference)
    .filter((reference) => reference !== undefined);
}

/** `REFERENCED_GROUP` is `group`. */
function referenceKind(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  const kind = value.toLowerCase();
  return kind.startsWith("referenced_") ? kind.slice("referenced_".length) : kind;
}

/** How servers write the unit of an interval. */
const SECOND_UNITS = ["seconds", "second", "secs", "sec", "s"] as const;

/** A scanning interval in seconds: `60`, `60 s`, `60|60 seconds`. Zero, negative and unreadable ones are left out, and counted. */
export function readIntervalSeconds(value: unknown, problems: DecodeProblems): number | undefined {
  if (isAbsent(value) || value === "") return undefined;
  // Choices may come as `value|text`.
  const choice = typeof value === "string" ? value.slice(0, MAX_WORD_LENGTH).split("|", 1)[0]?.toLowerCase() : value;
  const seconds = readNumber(choice, ...SECOND_UNITS);
  if (seconds !== undefined && seconds > 0) return seconds;
  problems.value++;
  return undefined;
}
