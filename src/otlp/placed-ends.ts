import type { Steps } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { EndPoint } from "./metric-data.ts";
import type { OtelPlacement } from "./otel-placement.ts";
import { type PlacedEnd, type PlacedSeries, seriesKey } from "./placed-series.ts";
import { hasFiniteValue } from "./series-ends.ts";

/**
 * Ends of series of a family, as the profile `otel` has them. A series that ends under its labels may go on under its attributes: the
 * name of a device that was renamed is in the resource. Such an end is not told.
 * @param shown The series that the family has now; undefined where it is not served any more.
 */
export async function placeEnds(
  ends: readonly EndPoint[],
  family: MetricFamily,
  shown: SeriesTable | undefined,
  placement: OtelPlacement,
  slices: Steps,
): Promise<readonly PlacedEnd[]> {
  if (ends.length === 0) return [];
  const live = shown === undefined ? new Map<string, number>() : await liveSlots(ends, shown, placement, slices);
  const told: PlacedEnd[] = [];
  for (const end of ends) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    let isTold = false;
    for (const place of placement.placesBefore(family, end.labels)) {
      const goesOn = live.get(seriesKey(place));
      if (goesOn === undefined) {
        told.push({ resource: place.resource, point: endAt(place, end) });
        isTold = true;
      } else {
        // The receiver has it, and is to be told when that ends.
        shown?.markPushed(goesOn);
      }
    }
    if (!isTold) end.settled();
  }
  return told;
}

/** The series that are shown about the same objects as the ends, by their keys. */
async function liveSlots(
  ends: readonly EndPoint[],
  shown: SeriesTable,
  placement: OtelPlacement,
  slices: Steps,
): Promise<ReadonlyMap<string, number>> {
  const objects = new Set(ends.map(({ labels }) => labels[1]));
  const live = new Map<string, number>();
  for (let slot = 0; slot < shown.slots; slot++) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (!hasFiniteValue(shown, slot) || !objects.has(shown.label(slot, 1))) continue;
    live.set(seriesKey(placement.place(shown.family, shown.labels(slot))), slot);
  }
  return live;
}

function endAt({ family, labels }: PlacedSeries, { endTime, isMeasured, settled }: EndPoint): EndPoint {
  return new EndPoint({ family, labels, endTime }, isMeasured, settled);
}
