import { isObject, type Members } from "../../src/prtg/decode/values.ts";

/** A record without the members that nobody asked for. */
export function pickMembers(record: unknown, members: Members): unknown {
  if (!isObject(record)) return record;
  const kept = Object.entries(record).flatMap(([name, value]) => {
    const below = Object.hasOwn(members, name) ? members[name] : undefined;
    if (below === undefined) return [];
    return [[name, below === true ? value : pickMembers(value, below)]];
  });
  return Object.fromEntries(kept);
}
