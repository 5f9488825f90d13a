import { badRequest } from "./api-errors.ts";
import type { Moment } from "./filter/properties.ts";
import { STATUS_TOKENS } from "./records/spelling.ts";
import { scanningInterval } from "./scanning-interval.ts";
import { isChannel, kindOf, parentOf, type Subject } from "./subject.ts";

export type Comparator = (left: Subject, right: Subject) => number;

type Key = (subject: Subject, moment: Moment) => number | string;

/**
 * What lists can be sorted by. "Property names are internal" and not listed: these are the filter properties that have
 * an order, and the ones of the earlier set that clients were seen to use.
 */
const KEYS: ReadonlyMap<string, Key> = new Map<string, Key>([
  ["id", (s) => (isChannel(s) ? Number(s.sensor.id) * 1e6 + s.number : Number(s.id) * 1e6)],
  ["name", (s) => s.name],
  ["kind", (s) => (isChannel(s) ? "channel" : s.type)],
  ["type", kindOf],
  ["parentid", (s) => Number(parentOf(s)?.id ?? -1)],
  ["status", (s, { world, now }) => (isChannel(s) ? -1 : STATUS_TOKENS.indexOf(world.state(s, now).status))],
  ["priority", (s) => (isChannel(s) ? 0 : s.priority)],
  ["favorite", (s) => (isChannel(s) ? 0 : Number(s.favorite))],
  ["primary", (s) => (isChannel(s) ? Number(s.primary) : 0)],
  ["message", (s, { world, now }) => (isChannel(s) ? "" : world.state(s, now).message)],
  ["basic.host", (s) => (!isChannel(s) && "host" in s ? String(s.host) : "")],
  ["intervalgroup.interval", intervalOf],
  ["scanninginterval", intervalOf],
]);

/**
 * Reads `sort_by`: names separated by commas, each with `+` (also as the blank that it decodes to in a query) or `-` before it.
 * Undefined when absent. Where all keys are equal the list order stays.
 * @throws RequestRefused BAD_REQUEST for unknown names
 */
export function parseSort(text: string | null, moment: Moment): Comparator | undefined {
  if (text === null || text.trim() === "") return undefined;
  const comparators = text.split(",").map((part) => {
    const [, sign, name] = /^\s*([+-]?)(.*?)\s*$/.exec(part) ?? [];
    const key = KEYS.get(name ?? "");
    if (key === undefined) throw badRequest(`sort_by: unknown property ${JSON.stringify(name)}`);
    return comparatorOf(key, sign === "-" ? -1 : 1, moment);
  });
  return (left, right) => {
    for (const compare of comparators) {
      const order = compare(left, right);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function comparatorOf(key: Key, direction: 1 | -1, moment: Moment): Comparator {
  const known = new Map<Subject, number | string>();
  const keyOf = (subject: Subject): number | string => {
    const value = known.get(subject) ?? key(subject, moment);
    known.set(subject, value);
    return value;
  };
  return (left, right) => {
    const a = keyOf(left);
    const b = keyOf(right);
    if (a === b) return 0;
    return a < b ? -direction : direction;
  };
}

function intervalOf(subject: Subject): number {
  return scanningInterval(isChannel(subject) ? subject.sensor : subject).seconds;
}
