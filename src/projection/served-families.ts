import type { Family, Subject } from "../mapping/families/family.ts";
import type { TreeFamilyName } from "../mapping/metric-table.ts";
import type { SeriesLabels } from "../mapping/series-labels.ts";
import type { ServedFamily } from "./projector.ts";

/** Adds names and values of labels as the configuration wants them. `families`: by their keys in the metric table. */
export function serveFamilies<Item extends Subject, About>(
  labels: SeriesLabels,
  families: { readonly [Name in TreeFamilyName]?: Family<Item, About> },
): readonly ServedFamily<Item, About>[] {
  return Object.entries(families).map(([key, family]) => {
    return { ...family, family: labels.families[key as TreeFamilyName], labelsOf: labels.values(family.labels) };
  });
}
