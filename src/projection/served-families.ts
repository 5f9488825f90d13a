import type { Family, LabelSet, Subject } from "../mapping/families/family.ts";
import type { TreeFamilyName } from "../mapping/metric-table.ts";
import type { SeriesLabels } from "../mapping/series-labels.ts";
import type { LabelsOf, ServedFamily } from "./projector.ts";

/** Adds names and values of labels as the configuration wants them. `families`: by their keys in the metric table. */
export function serveFamilies<Item extends Subject, About>(
  labels: SeriesLabels,
  server: string,
  families: { readonly [Name in TreeFamilyName]?: Family<Item, About> },
): readonly ServedFamily<Item, About>[] {
  const functions = new Map<LabelSet<Item>, LabelsOf<Item, About>>();
  const labelsOf = (set: LabelSet<Item>): LabelsOf<Item, About> => {
    const known = functions.get(set);
    if (known !== undefined) return known;
    const values = labels.values(set);
    const made = (item: Item) => values(server, item);
    functions.set(set, made);
    return made;
  };
  return Object.entries(families).map(([key, family]) => {
    return { ...family, family: labels.families[key as TreeFamilyName], labelsOf: labelsOf(family.labels) };
  });
}
