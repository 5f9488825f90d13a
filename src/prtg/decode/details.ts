import type { LicenseUse } from "../records.ts";
import { readCount } from "./displayed.ts";
import { booleanOf, type DecodeProblems, idOf, isObject, parseTimestamp } from "./values.ts";

/*
 * Answers of which the specification shows neither the form nor the members, and no public source does: what is looked for is
 * found by what members are called, and what is not found is left out.
 */

const MAX_DEPTH = 3;
const MAX_MEMBERS = 200;

/** Numbers of `/experimental/license`: members that name sensors, and one that names an end. */
export function readLicense(answer: unknown): LicenseUse {
  let used: number | undefined;
  let max: number | undefined;
  let expiresAt: number | undefined;
  for (const [name, value] of members(answer)) {
    const number = readCount(value);
    if (number !== undefined && name.includes("sensor")) {
      if (/used|current|inuse|active/.test(name)) used ??= number;
      else if (/allowed|max|limit|licensed/.test(name)) max ??= number;
    }
    if (typeof value === "string" && /expir|validu|validto|enddate/.test(name)) expiresAt ??= parseTimestamp(value);
  }
  return { used, max, expiresAt };
}

/** Whether `/probes/{id}/info` says that the probe is connected; undefined where it does not say. */
export function readConnected(answer: unknown): boolean | undefined {
  for (const [name, value] of members(answer)) {
    if (name.endsWith("disconnected") || !/connected$|^connection(state|status)$/.test(name)) continue;
    const connected = booleanOf(value);
    if (connected !== undefined) return connected;
    if (typeof value !== "string") continue;
    if (/^connected$/i.test(value)) return true;
    if (/^disconnected$/i.test(value)) return false;
  }
  return undefined;
}

/** A record of `/autodiscoveries`, which lists those under way; a server may list the last one that was, too. */
export interface Autodiscovery {
  readonly id: string;
  readonly isRunning: boolean;
}

export function decodeAutodiscovery(record: unknown, problems: DecodeProblems): Autodiscovery | undefined {
  const id = isObject(record) ? idOf(record.id) : undefined;
  if (!isObject(record) || id === undefined) {
    problems.record++;
    return undefined;
  }
  const isRunning =
    booleanOf(record.active) ?? (typeof record.status !== "string" || /^(running|active)$/i.test(record.status));
  return { id, isRunning };
}

/** Names as letters and digits in lower case, in the order in which they stand, with those of inner objects. */
function* members(answer: unknown): Generator<[name: string, value: unknown]> {
  const queue: [unknown, number][] = [[answer, 0]];
  let seen = 0;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [value, depth] = next;
    if (!isObject(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      if (++seen > MAX_MEMBERS) return;
      if (isObject(member) && depth < MAX_DEPTH) queue.push([member, depth + 1]);
      else yield [name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""), member];
    }
  }
}
