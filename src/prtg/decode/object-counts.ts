import { MAX_KINDS, MAX_WORD_LENGTH } from "../answer-bounds.ts";
import { integerMembers } from "./integer-members.ts";

/** Kinds of the specification (`type`), and how a plural may spell them. */
const KINDS: ReadonlyMap<string, string> = new Map(
  ["channel", "device", "group", "library", "probe", "sensor", "user", "usergroup"].flatMap((kind) => [
    [kind, kind],
    [kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`, kind],
  ]),
);

const SUMS = new Set(["total", "all", "sum", "objects"]);

/** Objects per kind from `/objects/count`, whose form the specification does not show. Sums over kinds are left out. */
export function readObjectCounts(answer: unknown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [name, count] of integerMembers(answer)) {
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
