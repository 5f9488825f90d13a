import { MAX_KINDS, MAX_WORD_LENGTH } from "../answer-bounds.ts";
import type { StatusSummary } from "../records.ts";
import type { StatusToken } from "../status.ts";
import { readCount } from "./displayed.ts";
import { type DecodeProblems, isAbsent, isObject, statusToken, text } from "./values.ts";

/* The specification does not show these answers. */

/**
 * Counts of sensors per status. Finds whole numbers under the name of a status, in any spelling and depth. Does not
 * compare them with `total`, because servers may leave out statuses.
 */
export function readSummary(value: unknown, problems: DecodeProblems): StatusSummary {
  const counts = new Map<StatusToken, number>();
  let total: number | undefined;
  for (const [name, count] of integerMembers(value)) {
    const token = statusToken(name);
    if (token !== undefined) counts.set(token, count);
    else if (name.toLowerCase() === "total") total = count;
  }
  problems.summary += counts.size === 0 ? 1 : spoiltCounts(value);
  return { counts, total };
}

function spoiltCounts(value: unknown): number {
  if (!isObject(value)) return 0;
  let spoilt = 0;
  for (const [name, member] of Object.entries(value)) {
    if (isAbsent(member) || isObject(member) || Array.isArray(member)) continue;
    if (statusToken(name) !== undefined && readCount(member) === undefined) spoilt++;
  }
  return spoilt;
}

/** Kinds of the specification, and their plurals. */
const KINDS: ReadonlyMap<string, string> = new Map(
  ["channel", "device", "group", "library", "probe", "sensor", "user", "usergroup"].flatMap((kind) => [
    [kind, kind],
    [kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`, kind],
  ]),
);

const SUMS = new Set(["total", "all", "sum", "objects"]);

/**
 * Objects per kind from `/objects/count`, without sums.
 * @param clean Removes credentials from the name of a kind.
 */
export function readObjectCounts(
  answer: unknown,
  clean: (name: string) => string = (name) => name,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [rawName, count] of integerMembers(answer)) {
    const name = clean(rawName);
    if (name.length > MAX_WORD_LENGTH) continue;
    const bare = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")
      .replace(/^(num(ber)?of|num|total(?=.))/, "")
      .replace(/(?<=.)count$/, "");
    const kind = KINDS.get(bare) ?? (counts.size < MAX_KINDS ? name.toLowerCase() : undefined);
    if (kind !== undefined && !SUMS.has(bare)) counts.set(kind, count);
  }
  return counts;
}

/** Deeper nesting is ignored. */
const MAX_COUNTS_DEPTH = 3;
const NAME_MEMBERS = ["status", "kind", "type", "name"] as const;
const COUNT_MEMBERS = ["count", "total", "number", "value"] as const;

/** All whole numbers in an answer: members of objects, and list elements such as `{"type": "probe", "count": 3}`. */
function integerMembers(answer: unknown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  collectCounts(answer, counts, 0);
  return counts;
}

function collectCounts(value: unknown, counts: Map<string, number>, depth: number): void {
  if (depth > MAX_COUNTS_DEPTH) return;
  if (Array.isArray(value)) {
    for (const element of value) collectElement(element, counts, depth);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const count = readCount(member);
      if (count === undefined) collectCounts(member, counts, depth + 1);
      else counts.set(name, count);
    }
  }
}

function collectElement(element: unknown, counts: Map<string, number>, depth: number): void {
  if (!isObject(element)) return;
  const name = NAME_MEMBERS.map((member) => text(element[member])).find((known) => known !== undefined);
  const count = COUNT_MEMBERS.map((member) => readCount(element[member])).find((known) => known !== undefined);
  if (name === undefined || count === undefined) collectCounts(element, counts, depth + 1);
  else counts.set(name, count);
}

const MAX_VERSION_DEPTH = 4;
const MAX_VERSION_MEMBERS = 100;

/** All strings of `/version`. Dots join nested names. */
export function readVersion(answer: unknown): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  if (typeof answer === "string") members.set("version", answer);
  else collectTexts(answer, "", members, 0);
  return members;
}

function collectTexts(value: unknown, prefix: string, members: Map<string, string>, depth: number): void {
  if (!isObject(value) || depth > MAX_VERSION_DEPTH) return;
  for (const [name, member] of Object.entries(value)) {
    if (members.size >= MAX_VERSION_MEMBERS) return;
    if (typeof member === "string") members.set(prefix + name, member);
    else collectTexts(member, `${prefix}${name}.`, members, depth + 1);
  }
}

/**
 * The version in `GET /version`. The specification names no member, so this takes a version by the name of its
 * member: the product or core, `version`, a name with `version`, any other, and last the application server.
 */
export function serverVersion(members: ReadonlyMap<string, string>): string | undefined {
  const versions = [...members].filter(([, value]) => /^\s*v?\d+\.\d/i.test(value));
  const ofCore = versions.filter(([name]) => !/app/i.test(name));
  const named = (pattern: RegExp) => ofCore.find(([name]) => pattern.test(name));
  const found = named(/prtg|core/i) ?? named(/^version$/i) ?? named(/version/i) ?? ofCore[0] ?? versions[0];
  return found?.[1].trim();
}
