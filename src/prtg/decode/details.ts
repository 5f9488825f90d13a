import type { LicenseUse } from "../records.ts";
import { readCount } from "./displayed.ts";
import { booleanOf, type DecodeProblems, idOf, isObject, parseTimestamp } from "./values.ts";

/* The specification does not show these answers. So this searches names of members, and leaves out what it does not find. */

const MAX_DEPTH = 3;
const MAX_MEMBERS = 200;

/** From `/experimental/license`: members about sensors, and the end. */
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

/** From `/probes/{id}/info`. `undefined` if it does not say. */
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

export interface Autodiscovery {
  readonly id: string;
  readonly isRunning: boolean;
}

export function decodeAutodiscovery(record: unknown, problems: DecodeProblems): Autodiscovery | undefined {
  const id = decodeId(record, problems);
  if (!isObject(record) || id === undefined) return undefined;
  const isRunning =
    booleanOf(record.active) ?? (typeof record.status !== "string" || /^(running|active)$/i.test(record.status));
  return { id, isRunning };
}

export function decodeId(record: unknown, problems: DecodeProblems): string | undefined {
  const id = isObject(record) ? idOf(record.id) : undefined;
  if (id === undefined) problems.record++;
  return id;
}

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
