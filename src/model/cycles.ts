import { ROOT_ID } from "./tree.ts";

/**
 * The ids to detach so that every chain of parents that begins at `starts` ends: of each cycle the lowest id, whatever
 * the order. A server should never send a cycle, but a group that moves while pages are read can look like one.
 * Yields after each `step` starts, so that others get the event loop.
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
    // Parents come first, mostly.
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

/** Numeric for the decimal ids that servers use, and a total order for any others. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
