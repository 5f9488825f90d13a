import type { TreeNode } from "../../model/tree.ts";
import type { MetricFamily } from "../families/family.ts";
import type { BaseUnitName, Conversion } from "../units/base-units.ts";

/** One or more alternatives. */
export type AnyOf = string | readonly string[];

/** Conditions of a rule by their keys in the rule file. All must match. */
export interface RuleMatch {
  /** Like `ping`, without version suffix. */
  readonly kind?: AnyOf | undefined;
  /** Like `Ping v2`. */
  readonly kind_name?: AnyOf | undefined;
  readonly channel?: AnyOf | undefined;
  readonly unit?: AnyOf | undefined;
  /** Base units of the display unit. */
  readonly base_unit?: BaseUnitName | readonly BaseUnitName[] | undefined;
  /** Own or inherited. */
  readonly tags?: AnyOf | undefined;
  readonly device?: AnyOf | undefined;
  /** Of the sensor. */
  readonly path?: AnyOf | undefined;
}

export type AttributeName = keyof RuleMatch;

export interface DropRule {
  readonly kind: "drop";
  readonly match: RuleMatch;
}

export interface MetricRule {
  readonly kind: "metric";
  readonly match: RuleMatch;
  readonly name: string;
  /** At least one rule of a family has it. */
  readonly help?: string | undefined;
  /** `undefined`: values stay in the display unit. */
  readonly unit?: BaseUnitName | undefined;
  /** Result: value * factor + offset, whatever the display unit. */
  readonly factor?: number | undefined;
  readonly offset?: number | undefined;
  /** `$1` and `$<name>` stand for groups. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

export type RuleSettings = DropRule | MetricRule;

export interface RuleSource {
  /** Like `prtg.yaml` or `preset ping`. */
  readonly label: string;
  /** Other rules may override presets without a warning. */
  readonly isPreset: boolean;
  readonly rules: readonly RuleSettings[];
}

export interface RuleProblem {
  readonly severity: "error" | "warning";
  readonly source: number;
  /** From the rule's index on, like `[3, "match", "channel", 1]`. */
  readonly path: readonly (string | number)[];
  readonly part: "key" | "value";
  /** The expectation, or the fault if there is none. */
  readonly expected: string;
  readonly found?: string | number | undefined;
  readonly fault?: string | undefined;
}

/** `path` starts below the rule. */
export type Report = (
  problem: Omit<RuleProblem, "source" | "severity" | "part"> & Partial<Pick<RuleProblem, "severity" | "part">>,
) => void;

export interface MappedFamily extends MetricFamily {
  readonly type: "gauge";
  /** `undefined`: values stay in the display unit. */
  readonly baseUnit: BaseUnitName | undefined;
  /** Sorted. They are the last ones of `labels`. */
  readonly ruleLabels: readonly string[];
  /** In the same unit, with the additional label `limit`. */
  readonly limits: MetricFamily;
}

export interface Rule {
  /** Index among all rules. */
  readonly index: number;
  readonly source: string;
  readonly isPreset: boolean;
  /** Index in the source. */
  readonly ordinal: number;
  readonly settings: RuleSettings;
}

/** Like `rules[3] of preset ping`. */
export function ruleTitle(source: string, ordinal: number): string {
  return `rules[${ordinal}] of ${source}`;
}

export type Mapping =
  | {
      readonly kind: "metric";
      readonly rule: Rule;
      readonly family: MappedFamily;
      /** From the display unit. */
      readonly conversion: Conversion;
      /** In the order of `family.ruleLabels`. */
      readonly labels: readonly string[];
    }
  /** The display unit does not convert, so the channel keeps its own metric. */
  | { readonly kind: "unconverted"; readonly rule: Rule; readonly family: MappedFamily }
  | { readonly kind: "drop"; readonly rule: Rule };

/** Cached by identity: replace the object if it changes. */
export type SensorAttributes = Pick<TreeNode, "type" | "typeName" | "tags" | "inheritedTags" | "device" | "path">;

export interface ChannelAttributes {
  readonly name: string;
  /** Empty if unknown. */
  readonly unit: string;
}

export interface MappedSeries extends Required<ValueSeries> {
  readonly family: MappedFamily;
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
