import type { TimeSlices } from "./yielding.ts";

/** Sorting so many items takes less than a millisecond. */
const RUN = 256;

type Compare<Item> = (a: Item, b: Item) => number;

/** A stable sort that lets the event loop run. */
export async function sortInSlices<Item>(
  items: readonly Item[],
  compare: Compare<Item>,
  slices: Pick<TimeSlices, "step" | "longStep">,
): Promise<Item[]> {
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    await slices.longStep();
    runs.push(items.slice(at, at + RUN).sort(compare));
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, slices));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: Compare<Item>,
  slices: Pick<TimeSlices, "step">,
): Promise<Item[]> {
  const merged: Item[] = [];
  let next = 0;
  for (const item of left) {
    for (let other = right[next]; other !== undefined && compare(other, item) < 0; other = right[++next]) {
      merged.push(other);
    }
    merged.push(item);
    const turn = slices.step();
    if (turn !== undefined) await turn;
  }
  for (let other = right[next]; other !== undefined; other = right[++next]) merged.push(other);
  return merged;
}
