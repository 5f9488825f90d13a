import { isObject } from "./primitives.ts";

const DEEPEST = 4;
const MAX_MEMBERS = 100;

/** All strings of `/version`, whose form the specification does not show; names of nested ones are joined with dots. */
export function readVersion(answer: unknown): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  if (typeof answer === "string") members.set("version", answer);
  else collect(answer, "", members, 0);
  return members;
}

function collect(value: unknown, prefix: string, members: Map<string, string>, depth: number): void {
  if (!isObject(value) || depth > DEEPEST) return;
  for (const [name, member] of Object.entries(value)) {
    if (members.size >= MAX_MEMBERS) return;
    if (typeof member === "string") members.set(prefix + name, member);
    else collect(member, `${prefix}${name}.`, members, depth + 1);
  }
}
