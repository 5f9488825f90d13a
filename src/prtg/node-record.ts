import { MAX_ANCESTORS, MAX_TAGS, MAX_WORD_LENGTH } from "./answer-bounds.ts";
import { readCount, readNumber } from "./decode/displayed.ts";
import { locationOf } from "./decode/location.ts";
import { readSummary } from "./decode/system-records.ts";
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
} from "./decode/values.ts";
import type { CHANNEL_SECTIONS, Reference, StatusSummary } from "./records.ts";
import type { StatusToken } from "./status.ts";

export type NodeKind = "probe" | "group" | "device" | "sensor";

/** Children before parents: a parent that is created between two lists is then in the later one. */
export const READING_ORDER = ["sensor", "device", "group", "probe"] as const satisfies readonly NodeKind[];

export interface NodeRecord {
  readonly id: string;
  readonly kind: NodeKind;
  readonly name: string;
  readonly parent?: Reference | undefined;
  /** From the root to the object or its parent. `undefined` if the list lacks them. */
  readonly ancestors?: readonly Reference[] | undefined;
  readonly status: StatusToken;
  readonly statusSince?: number | undefined;
  /** Sensors only: one line about the status. */
  readonly message?: string | undefined;
  /** Sensors only. Milliseconds since the epoch. */
  readonly lastUp?: number | undefined;
  /** Sensors only. Milliseconds since the epoch. */
  readonly lastDown?: number | undefined;
  /** For example `ping`, without a version suffix. */
  readonly type: string;
  /** For people, for example `Ping v2`. */
  readonly typeName: string;
  readonly priority?: number | undefined;
  readonly tags: readonly string[];
  readonly favorite?: boolean | undefined;
  readonly host?: string | undefined;
  /** `undefined` unless requested and present. */
  readonly intervalSeconds?: number | undefined;
  /** Scanning intervals as warning before a failing object is down. `undefined` unless requested and present. */
  readonly downDelay?: number | undefined;
  /** Id of the object that it depends on. Empty: its parent only. `undefined` unless requested and present. */
  readonly dependsOn?: string | undefined;
  /** Sensors below. `undefined` unless requested and present. */
  readonly summary?: StatusSummary | undefined;
}

/**
 * How `TextBounds` cleans a value: it cuts a `text` and drops a record with a credential in an `id`. It cleans tags and
 * references by name.
 */
type TextOf<Value> = [string] extends [Value]
  ? { readonly text: "text" | "id" }
  : [Value] extends [readonly object[] | readonly string[] | Reference]
    ? { readonly text: "parts" }
    : { readonly text?: undefined };

/** Parts of lists of nodes that the server adds on request, in the order of requests. */
export const NODE_SECTIONS = [
  {
    name: "intervalgroup",
    /** The collector that requests it. */
    reader: "tree",
    /** Kinds of objects that have it. */
    kinds: READING_ORDER,
    /** The option below `metrics` that needs it, or names the kinds of objects that need it. `undefined`: always. */
    option: undefined,
    /** The consequence if the server refuses it. */
    without: "prtg_sensor_interval_seconds and prtg_sensor_down_delay_intervals are missing",
  },
  {
    name: "scheduledependency",
    reader: "tree",
    kinds: READING_ORDER,
    option: "dependencyInfo",
    without: "prtg_dependency_info is missing",
  },
  {
    name: "sensor_status_summary",
    reader: "status",
    kinds: ["device", "group", "probe"],
    option: "nodeSensors",
    without: "prtg_node_sensors is missing",
  },
] as const;

export type NodeSection = (typeof NODE_SECTIONS)[number];
export type Section = (NodeSection | (typeof CHANNEL_SECTIONS)[number])["name"];
/** The kinds of objects for which the configuration needs a section. */
export type WantedSections = ReadonlyMap<Section, ReadonlySet<NodeKind>>;

interface FieldRow {
  /** A fact of the default answer that some lists lack. */
  readonly inState?: true;
  /** The section that brings the fact. */
  readonly section?: NodeSection["name"];
}

/** The facts of `NodeRecord`: each one has a row, and each text says how it is cleaned. */
export const NODE_FIELDS = {
  id: { text: "id" },
  kind: {},
  name: { text: "text" },
  parent: { text: "parts" },
  ancestors: { text: "parts" },
  status: { inState: true },
  statusSince: { inState: true },
  message: { text: "text", inState: true },
  lastUp: { inState: true },
  lastDown: { inState: true },
  type: { text: "text" },
  typeName: { text: "text" },
  priority: {},
  tags: { text: "parts" },
  favorite: {},
  host: { text: "text" },
  intervalSeconds: { section: "intervalgroup" },
  downDelay: { section: "intervalgroup" },
  dependsOn: { text: "id", section: "scheduledependency" },
  summary: { section: "sensor_status_summary" },
} as const satisfies {
  readonly [Field in keyof NodeRecord]-?: FieldRow & TextOf<Exclude<NodeRecord[Field], undefined>>;
};

type Rows = typeof NODE_FIELDS;
export type FieldsWith<Key extends string, Value> = {
  [Field in keyof Rows]: Rows[Field] extends { readonly [Name in Key]: Value } ? Field : never;
}[keyof Rows];

/** Facts that `NodeState` keeps beside the tree. */
export type StateFact = FieldsWith<"inState", true> | SectionFact;

/** A fact of a section: some lists lack it, and it expires on its own. */
export type SectionFact = {
  [Field in keyof Rows]: Rows[Field] extends { readonly section: string } ? Field : never;
}[keyof Rows];

export const SECTION_FACTS: readonly SectionFact[] = Object.values(NODE_SECTIONS).flatMap(({ name }) =>
  fieldsWith("section", name),
);

/** Fields whose row has this value. */
export function fieldsWith<const Key extends string, const Value>(
  key: Key,
  value: Value,
): readonly FieldsWith<Key, Value>[] {
  const rows = new Map(Object.entries(NODE_FIELDS).map(([name, row]) => [name, new Map(Object.entries(row))]));
  const matches = (name: string): name is FieldsWith<Key, Value> => rows.get(name)?.get(key) === value;
  return Object.keys(NODE_FIELDS).filter(matches);
}

const NO_SECTION: JsonObject = {};

/**
 * Decodes a tree node (settings in sections such as `basic`) or a record of the deprecated lists. `undefined`, and
 * counted, without an id or for another kind. Other errors cost only their field.
 */
export function decodeNode(
  kind: NodeKind,
  record: unknown,
  problems: DecodeProblems,
): Required<NodeRecord> | undefined {
  const id = isObject(record) ? idOf(record.id) : undefined;
  if (!isObject(record) || id === undefined || isOfOtherKind(record, kind)) {
    problems.record++;
    return undefined;
  }
  const basic = isObject(record.basic) ? record.basic : NO_SECTION;
  const ancestors = readPath(record.path);
  const isSensor = kind === "sensor";
  const tags = readTags(basic.tags ?? record.tags, problems);
  if (!isSensor && locationOf(tags) === "invalid") problems.value++;
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
    tags,
    favorite: booleanOf(record.favorite ?? basic.favorite),
    host: kind === "device" ? readHost(basic, record) : undefined,
    intervalSeconds: readInterval(record, problems),
    downDelay: readDownDelay(record.intervalgroup),
    dependsOn: readDependency(record.scheduledependency),
    summary: readNodeSummary(record, problems),
  };
}

const KINDS: ReadonlySet<string | undefined> = new Set(["probe", "group", "device", "sensor", "channel"]);

/** `undefined` for other kinds, or without one. */
export function nodeKindOf(record: unknown): NodeKind | undefined {
  const recordKind = isObject(record) ? referenceKind(record.type) : undefined;
  return READING_ORDER.find((kind) => kind === recordKind);
}

/** Servers that ignore filters send all kinds. */
function isOfOtherKind({ type }: JsonObject, kind: NodeKind): boolean {
  const recordKind = referenceKind(type);
  return recordKind !== kind && KINDS.has(recordKind);
}

/** Deprecated lists have no `parent`. */
function parentFromPath(id: string, ancestors: readonly Reference[] | undefined): Reference | undefined {
  const last = ancestors?.at(-1);
  return last?.id === id ? ancestors?.at(-2) : last;
}

/** `paessler.snmp.cpu_usage_sensor.65` is the same type in any version. */
function withoutVersion(type: string): string {
  return type.replace(/\.\d+$/, "");
}

/** Scripts may print several lines. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** One line, with lone surrogates as U+FFFD. Markup is text. */
function readMessage(value: unknown): string | undefined {
  const message = text(value)?.replace(BREAKS, " ").trim().toWellFormed();
  return message === undefined || message === "" ? undefined : sharedText(message);
}

function readPriority(value: unknown): number | undefined {
  const priority = readCount(value);
  return priority !== undefined && priority >= 1 && priority <= 5 ? priority : undefined;
}

/** Shared: an empty list per object would take 32 bytes. */
const NO_TAGS: readonly string[] = Object.freeze([]);

/** Keeps the first MAX_TAGS. */
function readTags(value: unknown, problems: DecodeProblems): readonly string[] {
  const given: readonly unknown[] =
    typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  const tags = given.filter((tag): tag is string => typeof tag === "string" && tag !== "");
  if (tags.length === 0) return NO_TAGS;
  if (tags.length <= MAX_TAGS) return tags;
  problems.text++;
  return tags.slice(0, MAX_TAGS);
}

/** Devices over IPv6 have their address in `hostv6`. */
function readHost(basic: JsonObject, record: JsonObject): string | undefined {
  return [basic.host, record.host, basic.hostv6].map(text).find((host) => host !== undefined && host !== "");
}

function readInterval(record: JsonObject, problems: DecodeProblems): number | undefined {
  const section = record.intervalgroup;
  return readIntervalSeconds(isObject(section) ? section.interval : record.scanning_interval, problems);
}

/** PRTG offers 0 to 5 intervals. */
function readDownDelay(section: unknown): number | undefined {
  const value = isObject(section) ? section.errorintervalsdown : undefined;
  return readCount(typeof value === "string" ? value.split("|", 1)[0] : value);
}

/** Classic values of `dependencytype`: the parent (0), another object (1), this object is the master of its parent (2). */
const OTHER_OBJECT = "1";

/** The specification does not show the fields of the section. So this reads the id as text, number or reference. */
function readDependency(section: unknown): string | undefined {
  if (!isObject(section)) return undefined;
  const type = text(section.dependencytype)?.split("|", 1)[0] ?? OTHER_OBJECT;
  const target = isObject(section.dependency) ? section.dependency.id : section.dependency;
  // Many objects depend on the same one.
  return type === OTHER_OBJECT ? sharedText(idOf(target) ?? "") : "";
}

function readNodeSummary(record: JsonObject, problems: DecodeProblems): StatusSummary | undefined {
  return isAbsent(record.sensor_status_summary) ? undefined : readSummary(record.sensor_status_summary, problems);
}

/** Ignores `href`, which is `restricted` if the object is not visible. Id and name are there anyway. */
function readReference(value: unknown): Required<Reference> | undefined {
  if (!isObject(value)) return undefined;
  const id = idOf(value.id);
  if (id === undefined) return undefined;
  return { id, name: text(value.name), kind: referenceKind(value.type) };
}

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

/** Units of intervals. */
const SECOND_UNITS = ["seconds", "second", "secs", "sec", "s"] as const;

/** Reads `60`, `60 s` or `60 60 seconds`. Counts invalid intervals. */
function readIntervalSeconds(value: unknown, problems: DecodeProblems): number | undefined {
  if (isAbsent(value) || value === "") return undefined;
  // Choices may be `value|text`.
  const choice = typeof value === "string" ? value.slice(0, MAX_WORD_LENGTH).split("|", 1)[0]?.toLowerCase() : value;
  const seconds = readNumber(choice, ...SECOND_UNITS);
  if (seconds !== undefined && seconds > 0) return seconds;
  problems.value++;
  return undefined;
}
