import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { Family, Subject } from "../mapping/families/family.ts";
import type { TreeFamilyName } from "../mapping/metric-table.ts";
import type { SeriesLabels } from "../mapping/series-labels.ts";
import type { WantedSections } from "../prtg/records.ts";
import type { ServedFamily } from "./projector.ts";

/** The current status only, or all 15 as 0 and 1. */
export type SensorStatusMode = "current" | "all";

/** The series and labels that the configuration asks for. */
export interface Shape {
  readonly mapper: ChannelMapper;
  readonly channelInfo: boolean;
  readonly sections: WantedSections;
  readonly sensorStatus: SensorStatusMode;
}

/**
 * Adds names and values of labels as the configuration wants them, and drops families whose section it does not need.
 * `families`: by their keys in the metric table.
 */
export function serveFamilies<Item extends Subject, About>(
  labels: SeriesLabels,
  families: { readonly [Name in TreeFamilyName]?: Family<Item, About> },
  sections: WantedSections = new Map(),
): readonly ServedFamily<Item, About>[] {
  const isWanted = ({ section }: Family<Item, About>) =>
    section === undefined || (sections.get(section)?.size ?? 0) > 0;
  return Object.entries(families)
    .filter(([, family]) => isWanted(family))
    .map(([key, family]) => {
      return { ...family, family: labels.families[key as TreeFamilyName], labelsOf: labels.values(family.labels) };
    });
}
