import { ROOT_ID } from "./tree.ts";

/**
 * Returns the ids to detach so that no chain of parents is a cycle: the lowest id of each cycle. A group that moves
 * while the exporter reads pages can look like a cycle. Yields after each `step` starts.
 */
export function* findCycles(
  starts: Iterable<string>,
  parentOf: (id: string) => string,
  step: number,
): Generator<void, readonly string[]> {
  const ends = new Set<string>([ROOT_ID]);
  const detached: string[] = [];
  let steps = 0;
  for (const start of starts) {
    if (++steps % step === 0) yield;
    // Usually parents come first.
    if (ends.has(parentOf(start))) {
      ends.add(start);
      continue;
    }
    const chain: string[] = [];
    const inChain = new Set<string>();
    let id = start;
    while (!ends.has(id) && !inChain.has(id)) {
      chain.push(id);
      inChain.add(id);
      id = parentOf(id);
    }
    if (!ends.has(id)) {
      const cycle = chain.slice(chain.indexOf(id));
      detached.push(cycle.reduce((lowest, other) => (compareIds(other, lowest) < 0 ? other : lowest)));
    }
    for (const visited of chain) ends.add(visited);
  }
  return detached;
}

/** Numeric for decimal ids. A total order for all others. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
