import type { TreeNode } from "../../model/tree.ts";
import type { MetricFamily } from "../families/family.ts";
import type { BaseUnitName } from "../units/base-units.ts";
import type { Conversion } from "../units/conversion.ts";

/** One or several texts of which any may be the case. */
export type AnyOf = string | readonly string[];

/** What a rule looks at, by the key that it has in a rule file. All that are given must be the case. */
export interface RuleMatch {
  /** Type of the sensor, as in `ping`, without version suffix. */
  readonly kind?: AnyOf | undefined;
  /** Human name of the type, as in `Ping v2`. */
  readonly kind_name?: AnyOf | undefined;
  readonly channel?: AnyOf | undefined;
  /** Display unit as the server spells it. */
  readonly unit?: AnyOf | undefined;
  /** Base units of the display unit, where it is recognised. */
  readonly base_unit?: BaseUnitName | readonly BaseUnitName[] | undefined;
  /** Any tag of the sensor, its own or inherited. */
  readonly tags?: AnyOf | undefined;
  readonly device?: AnyOf | undefined;
  /** Path of the sensor. */
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
  /** At least one rule of a family gives it. */
  readonly help?: string | undefined;
  /** What the metric is in; undefined leaves the value as it is displayed. */
  readonly unit?: BaseUnitName | undefined;
  /** Where one of the two is given, the result is value * factor + offset, whatever the display unit. */
  readonly factor?: number | undefined;
  readonly offset?: number | undefined;
  /** By label name: text, in which `$1` and `$<name>` stand for what a group matched. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** A rule as it was written. */
export type RuleSettings = DropRule | MetricRule;

/** Rules that were written in one place. */
export interface RuleSource {
  /** How messages call it: `prtg.yaml`, `preset ping`. */
  readonly label: string;
  /** Rules of presets may be overruled without a warning. */
  readonly isPreset: boolean;
  readonly rules: readonly RuleSettings[];
}

/** Something that is wrong with a rule. */
export interface RuleProblem {
  readonly severity: "error" | "warning";
  /** Index of the source. */
  readonly source: number;
  /** Keys from the rule's index on, as in `[3, "match", "channel", 1]`. */
  readonly path: readonly (string | number)[];
  readonly part: "key" | "value";
  /** What was expected; what is wrong where nothing else was. */
  readonly expected: string;
  /** What stands there instead. */
  readonly found?: string | number | undefined;
  /** What is wrong with it. */
  readonly fault?: string | undefined;
}

/** Takes a problem of one rule; `path` begins below the rule. Errors at values, unless it says otherwise. */
export type Report = (
  problem: Omit<RuleProblem, "source" | "severity" | "part"> & Partial<Pick<RuleProblem, "severity" | "part">>,
) => void;

/** A family that rules make. */
export interface MappedFamily extends MetricFamily {
  readonly type: "gauge";
  /** Undefined where values stay as they are displayed. */
  readonly baseUnit: BaseUnitName | undefined;
  /** The rules' own labels: the last ones of `labels`, sorted. */
  readonly ruleLabels: readonly string[];
  /** The limits of its channels, in its unit; its labels are those of the family and `limit`. */
  readonly limits: MetricFamily;
}

/** A rule that works. */
export interface Rule {
  /** Place in the order of all rules. */
  readonly index: number;
  /** Label of its source. */
  readonly source: string;
  /** Place in its source, from 0. */
  readonly ordinal: number;
  readonly settings: RuleSettings;
}

/** What becomes of a channel. */
export type Mapping =
  | {
      readonly kind: "metric";
      readonly rule: Rule;
      readonly family: MappedFamily;
      /** From the display unit to the family's. */
      readonly conversion: Conversion;
      /** Values for `family.ruleLabels`, in that order. */
      readonly labels: readonly string[];
    }
  /** The rule fits, but the display unit does not become its unit: the channel stays as it is. */
  | { readonly kind: "unconverted"; readonly rule: Rule; readonly family: MappedFamily }
  | { readonly kind: "drop"; readonly rule: Rule };

/** What rules look at in a sensor. The object must stay the same as long as these do. */
export type SensorAttributes = Pick<TreeNode, "type" | "typeName" | "tags" | "inheritedTags" | "device" | "path">;

/** What rules look at in a channel. */
export interface ChannelAttributes {
  readonly name: string;
  /** Display unit, empty where unknown. */
  readonly unit: string;
}
