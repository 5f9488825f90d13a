import type { Steps } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import type { Store } from "./store.ts";

/** A series that has a value. */
export interface FoundSeries {
  readonly family: MetricFamily;
  /** Values for `family.labels`, in that order. */
  readonly labels: readonly string[];
  readonly value: number;
}

/**
 * Series with these values under these labels, as they are served at `now` (monotonic ms), where `isWanted` says so
 * too; families that lack one of the labels are left out.
 */
export async function findSeries(
  store: Store,
  wanted: Readonly<Record<string, string>>,
  now: number,
  slices: Steps,
  isWanted: (family: MetricFamily, labels: readonly string[]) => boolean = () => true,
): Promise<FoundSeries[]> {
  // By a commit, so that the page hears of it.
  if (store.expiresBy(now)) await store.commit(() => store.expire(now));
  return store.read(async () => {
    const found: FoundSeries[] = [];
    for (const table of store.tables) {
      const { family } = table;
      const columns = Object.entries(wanted).map(([name, value]) => ({ at: family.labels.indexOf(name), value }));
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
