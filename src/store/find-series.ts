import type { Steps } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import type { Store } from "./store.ts";

export interface FoundSeries {
  readonly family: MetricFamily;
  readonly labels: readonly string[];
  readonly value: number;
}

/** Omits families that lack one of the labels. `now`: monotonic ms. */
export async function findSeries(
  store: Store,
  labelValues: Readonly<Record<string, string>>,
  now: number,
  slices: Steps,
  isWanted: (family: MetricFamily, labels: readonly string[]) => boolean = () => true,
): Promise<FoundSeries[]> {
  // A commit updates the page.
  if (store.expiresBy(now)) await store.commit(() => store.expire(now));
  return store.read(async () => {
    const found: FoundSeries[] = [];
    for (const table of store.tables) {
      const { family } = table;
      const columns = Object.entries(labelValues).map(([name, value]) => ({ at: family.labels.indexOf(name), value }));
      if (columns.some(({ at }) => at === -1)) continue;
      for (let slot = 0; slot < table.slots; slot++) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        if (!table.isPresent(slot)) continue;
        if (!columns.every(({ at, value }) => table.label(slot, at) === value)) continue;
        const labels = table.labels(slot);
        if (!isWanted(family, labels)) continue;
        found.push({ family, labels, value: table.value(slot) });
      }
    }
    return found;
  });
}
