import type { MetricFamily } from "../mapping/metric-table.ts";

/** An object that has series: `row` is its own among those of its kind. */
export interface Subject {
  readonly row: number;
}

/**
 * A family: which series an object has in it, and which facts of the object they show. `About` is what else decides
 * about it: the configuration, or what rules make of a channel. Functions must not keep what they are given.
 */
export interface Family<Item extends Subject, About, LabelsOf extends string> {
  /** Name, type, help and labels; undefined where the object has no such series. */
  readonly family: MetricFamily | ((about: About) => MetricFamily | undefined);
  /** Facts (bits) that its values and times come from. Labels change with facts that are called `identity`, too. */
  readonly facts: number;
  /** Where its labels come from, but for the own one. */
  readonly labels: LabelsOf;
  /** An object has a series for each of these, which is the value of the last label. Without it, one. */
  readonly each?: readonly string[];
  /** The value of the last label, where that changes with the value. */
  readonly own?: (object: Item, about: About) => string;
  /** Whether the object has the series at all; a series that it has keeps its slot while it has no value. Default: yes. */
  readonly has?: (object: Item, about: About, each: string) => boolean;
  /**
   * A series that gets other labels frees its slot, and with it its line on the page, and takes another free one while it
   * has a value. Default: it keeps its slot.
   */
  readonly freesSlotOnRelabel?: true;
  /** Its values are pushed as they were measured, and not as they stand: see `Projector.markMeasured`. */
  readonly isMeasured?: true;
  /** Undefined while there is none. */
  readonly value: (object: Item, about: About, each: string) => number | undefined;
  /** Until when (monotonic ms) the value may be served unless a later change confirms it. */
  readonly until: (object: Item, about: About, each: string) => number;
}

/** The label values of an object, from all but the own label of a family. */
export type Labellers<Item, About, LabelsOf extends string> = {
  readonly [Name in LabelsOf]: (object: Item, about: About) => readonly string[];
};
