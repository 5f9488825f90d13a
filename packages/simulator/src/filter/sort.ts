import { badRequest } from "../api-errors.ts";
import type { Properties, Property } from "./property.ts";

export type Comparator<Item> = (left: Item, right: Item) => number;

/** Undefined where the property is absent. */
type Key = number | string | undefined;

/**
 * Reads `sort_by`: names separated by commas, each with `+` (also as the blank that it decodes to in a query) or `-` before it.
 * Undefined when absent. "Property names are internal" and not listed: ours are those of the filters, both sets; what is
 * a list has no order. Texts go by code unit, ids by number, enumerations by the order of the specification, false before
 * true; absent values come first, with `-` last. Where all keys are equal the list order stays.
 * @throws RequestRefused BAD_REQUEST for names that are unknown or have no order
 */
export function parseSort<Item, Context>(
  text: string | null,
  properties: Properties<Item, Context>,
  context: Context,
): Comparator<Item> | undefined {
  if (text === null || text.trim() === "") return undefined;
  const comparators = text.split(",").map((part) => {
    const [, sign, name = ""] = /^\s*([+-]?)(.*?)\s*$/s.exec(part) ?? [];
    const property = properties.get(name);
    if (property === undefined) throw badRequest(`sort_by: unknown property ${JSON.stringify(name)}`);
    if (property.type === "texts") throw badRequest(`sort_by: ${name} is a list and has no order`);
    return comparatorOf(property, sign === "-" ? -1 : 1, context);
  });
  return (left, right) => {
    for (const compare of comparators) {
      const order = compare(left, right);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function comparatorOf<Item, Context>(
  property: Property<Item, Context>,
  direction: 1 | -1,
  context: Context,
): Comparator<Item> {
  const toKey = keyMaker(property);
  const known = new Map<Item, Key>();
  const keyOf = (item: Item): Key => {
    const found = known.get(item);
    if (found !== undefined || known.has(item)) return found;
    const key = toKey(property.read(item, context));
    known.set(item, key);
    return key;
  };
  return (left, right) => {
    const a = keyOf(left);
    const b = keyOf(right);
    if (a === b) return 0;
    return precedes(a, b) ? -direction : direction;
  };
}

function precedes(a: Key, b: Key): boolean {
  if (a === undefined || b === undefined) return a === undefined;
  if (typeof a !== typeof b) return typeof a === "number";
  return a < b;
}

function keyMaker<Item, Context>({ type, tokens, ids }: Property<Item, Context>): (value: unknown) => Key {
  if (type === "enumeration") {
    const ranks = new Map([...new Set(tokens?.values())].map((token, rank): [unknown, number] => [token, rank]));
    return (value) => ranks.get(value);
  }
  if (ids === true) return (value) => (value === undefined ? undefined : idKey(String(value)));
  return (value) => {
    if (typeof value === "boolean") return Number(value);
    return typeof value === "number" || typeof value === "string" ? value : undefined;
  };
}

/** Channels follow their sensor: `2490.-4` comes before `2490.1`, and both before `2491`. Other ids stay texts. */
function idKey(id: string): number | string {
  const [, node, channel = "0"] = /^(\d+)(?:\.(-?\d+))?$/.exec(id) ?? [];
  return node === undefined ? id : Number(node) * 1e6 + Number(channel);
}
