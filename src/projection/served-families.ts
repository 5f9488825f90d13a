import type { Family, Subject } from "../mapping/families/family.ts";
import type { TreeFamilyName } from "../mapping/metric-table.ts";
import type { SeriesLabels } from "../mapping/series-labels.ts";
import type { ServedFamily } from "./projector.ts";

/**
 * Adds names and values of labels as the configuration wants them, and drops families that it does not ask for.
 * `families`: by their keys in the metric table.
 */
export function serveFamilies<Item extends Subject, About>(
  labels: SeriesLabels,
  families: { readonly [Name in TreeFamilyName]?: Family<Item, About> },
  options: ReadonlySet<string> = new Set(),
): readonly ServedFamily<Item, About>[] {
  const isWanted = ({ option }: Family<Item, About>) => option === undefined || options.has(option);
  return Object.entries(families)
    .filter(([, family]) => isWanted(family))
    .map(([key, family]) => {
      return { ...family, family: labels.families[key as TreeFamilyName], labelsOf: labels.values(family.labels) };
    });
}
