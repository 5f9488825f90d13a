import { below, pick, type Random } from "./random.ts";

type Json = unknown;

const LEAVES: readonly Json[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  2 ** 53,
  Number.MAX_VALUE,
  "",
  "0",
  "-1",
  "1,5",
  "1e999",
  "NaN",
  ".",
  "..",
  "2490.-4",
  "60 s",
  "2026-03-12T17:55:10Z",
  "0001-01-01T00:00:00Z",
  "+275760-09-13T00:00:00Z",
  "UP",
  "SUMMED_INFO_DOWN",
  "__proto__",
  "\ud800",
  "\u0000",
  [],
  {},
  [[]],
  "x".repeat(300),
];

/** `members`: names that decoders read. */
export function mutateJson(random: Random, value: Json, members: readonly string[]): Json {
  let changed = value;
  for (let changes = 1 + below(random, 4); changes > 0; changes--) changed = changeOnce(random, changed, members, 0);
  return changed;
}

function changeOnce(random: Random, value: Json, members: readonly string[], depth: number): Json {
  if (Array.isArray(value) && value.length > 0 && random() < 0.9) return changedList(random, value, members, depth);
  if (isRecord(value) && random() < 0.9) return changedRecord(random, value, members, depth);
  return random() < 0.1 ? nested(random, value) : pick(random, LEAVES);
}

function changedList(random: Random, list: readonly Json[], members: readonly string[], depth: number): Json {
  const at = below(random, list.length);
  switch (below(random, 8)) {
    case 0:
      return list.toSpliced(at, 1);
    case 1:
      return list.toSpliced(at, 0, list[at], list[at]);
    case 2:
      return list.toSpliced(at, 0, pick(random, LEAVES));
    case 3:
      return list.slice(0, at);
    default:
      return list.with(at, changeOnce(random, list[at], members, depth + 1));
  }
}

function changedRecord(
  random: Random,
  record: Readonly<Record<string, Json>>,
  members: readonly string[],
  depth: number,
): Json {
  const entries = Object.entries(record);
  const at = below(random, entries.length);
  const entry = entries[at];
  const name = random() < 0.9 ? pick(random, members) : String.fromCodePoint(below(random, 0xd800));
  if (entry === undefined) return Object.fromEntries([[name, pick(random, LEAVES)]]);
  switch (below(random, 8)) {
    case 0:
      return Object.fromEntries(entries.toSpliced(at, 1));
    case 1:
      // Makes `__proto__` an own member, like JSON.parse.
      return Object.fromEntries([...entries, [name, pick(random, LEAVES)]]);
    case 2:
      return Object.fromEntries(entries.with(at, [name, entry[1]]));
    case 3:
      return Object.fromEntries([...entries, [name, entry[1]]]);
    default:
      return Object.fromEntries(entries.with(at, [entry[0], changeOnce(random, entry[1], members, depth + 1)]));
  }
}

function nested(random: Random, value: Json): Json {
  let outer = value;
  for (let levels = below(random, random() < 0.9 ? 6 : 300); levels > 0; levels--) {
    outer = levels % 2 === 0 ? [outer] : { id: outer };
  }
  return outer;
}

function isRecord(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
