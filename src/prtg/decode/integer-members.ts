import { finiteNumber, isObject, text } from "./primitives.ts";

/** Deeper nesting is not searched. */
const DEEPEST = 3;
const NAME_MEMBERS = ["status", "kind", "type", "name"] as const;
const COUNT_MEMBERS = ["count", "total", "number", "value"] as const;

/**
 * All counts in an answer whose form the specification does not show: members that are whole numbers, in the object
 * itself or in objects within it, and elements such as `{"type": "probe", "count": 3}` of lists.
 */
export function integerMembers(answer: unknown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  collect(answer, counts, 0);
  return counts;
}

function collect(value: unknown, counts: Map<string, number>, depth: number): void {
  if (depth > DEEPEST) return;
  if (Array.isArray(value)) {
    for (const element of value) collectElement(element, counts, depth);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const count = wholeNumber(member);
      if (count === undefined) collect(member, counts, depth + 1);
      else counts.set(name, count);
    }
  }
}

function collectElement(element: unknown, counts: Map<string, number>, depth: number): void {
  if (!isObject(element)) return;
  const name = NAME_MEMBERS.map((member) => text(element[member])).find((known) => known !== undefined);
  const count = COUNT_MEMBERS.map((member) => wholeNumber(element[member])).find((known) => known !== undefined);
  if (name === undefined || count === undefined) collect(element, counts, depth + 1);
  else counts.set(name, count);
}

/** A count as number or numeral; undefined for everything that cannot be one. */
export function wholeNumber(value: unknown): number | undefined {
  const number = finiteNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
