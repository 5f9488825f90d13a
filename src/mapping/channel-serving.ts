import type { MetricFamily } from "./families/family.ts";
import type { MappedFamily, Rule } from "./rules/rule.ts";
import type { Conversion } from "./units/base-units.ts";

export interface MappedSeries {
  readonly family: MappedFamily;
  /** In the order of `family.labels`. */
  readonly labels: readonly string[];
  /** From the channel's display unit to the family's. */
  readonly conversion: Conversion;
}

export interface ValueSeries {
  readonly family: MetricFamily;
  /** In the order of `family.labels`. */
  readonly labels: readonly string[];
  /** From the channel's display unit to the family's. `undefined`: they are the same. */
  readonly conversion?: Conversion;
}

/** `unconverted`: a rule matches, but the unit cannot become the rule's. `unknown_unit`: no unit of that name is known. */
export type MappingOutcome = "mapped" | "dropped" | "unconverted" | "unknown_unit" | "unmatched";

export interface ChannelServing {
  readonly outcome: MappingOutcome;
  readonly rule: Rule | undefined;
  /** Whether the channel has a series in `prtg_channel_value`. */
  readonly original: boolean;
  readonly mapped: MappedSeries | undefined;
}
