import type { TreeNode } from "../model/tree.ts";
import type { MetricFamily } from "./metric-table.ts";
import type { MappedFamily, Rule } from "./rules/rule.ts";
import type { RuleSet } from "./rules/rule-set.ts";
import { type ChannelIdentity, SeriesLabels } from "./series-labels.ts";
import type { Conversion } from "./units/conversion.ts";

/** The series that a rule gives a channel. */
export interface MappedSeries {
  readonly family: MappedFamily;
  /** Values for `family.labels`, in that order. */
  readonly labels: readonly string[];
  /** From the channel's display unit to the family's. */
  readonly conversion: Conversion;
}

/** A series that shows a channel's value. */
export interface ValueSeries {
  readonly family: MetricFamily;
  /** Values for `family.labels`, in that order. */
  readonly labels: readonly string[];
  /** From the channel's display unit to the family's; undefined where they are the same. */
  readonly conversion?: Conversion;
}

/**
 * What rules made of a channel: `unconverted` when one fits but the unit does not become its unit, `unknown_unit` when
 * the unit is not recognised and no rule does without.
 */
export type MappingOutcome = "mapped" | "dropped" | "unconverted" | "unknown_unit" | "unmatched";

/** How a channel is served. */
export interface ChannelServing {
  readonly outcome: MappingOutcome;
  /** The first rule that fits; undefined when none does. */
  readonly rule: Rule | undefined;
  /** Whether it is served as `prtg_channel_value`. */
  readonly original: boolean;
  readonly mapped: MappedSeries | undefined;
}

export interface ChannelMapperOptions {
  readonly labels: SeriesLabels;
  /** Undefined: channels stay as they are. */
  readonly rules?: RuleSet | undefined;
  /** Whether `prtg_channel_value` stays beside a mapped series. */
  readonly keepOriginal?: boolean;
}

/** Shared, for most channels are like it where there are no rules. */
const UNMATCHED: ChannelServing = { outcome: "unmatched", rule: undefined, original: true, mapped: undefined };
const UNKNOWN_UNIT: ChannelServing = { ...UNMATCHED, outcome: "unknown_unit" };

/** Decides as which series a channel is served. Asked once for each channel, when it appears or changes. */
export class ChannelMapper {
  readonly labels: SeriesLabels;
  /** The mapped families with the labels that are served. */
  readonly families: readonly MappedFamily[];
  readonly #rules: RuleSet | undefined;
  readonly #keepOriginal: boolean;
  readonly #served = new Map<MappedFamily, MappedFamily>();

  constructor({ labels, rules, keepOriginal = true }: ChannelMapperOptions) {
    this.labels = labels;
    this.#rules = rules;
    this.#keepOriginal = keepOriginal;
    for (const family of rules?.families ?? []) {
      const limits = labels.mappedFamily(family.limits, [...family.ruleLabels, "limit"]);
      this.#served.set(family, { ...labels.mappedFamily(family, family.ruleLabels), limits });
    }
    this.families = [...this.#served.values()];
  }

  /** Without rules every channel is served as `prtg_channel_value`. */
  get hasRules(): boolean {
    return this.#rules !== undefined;
  }

  /** All families about the tree, those of the metric table first: what the store has to hold. */
  storeFamilies(): readonly MetricFamily[] {
    return [...Object.values(this.labels.families), ...this.families.flatMap((family) => [family, family.limits])];
  }

  serve(server: string, sensor: TreeNode, channel: ChannelIdentity): ChannelServing {
    if (this.#rules === undefined) return UNMATCHED;
    const mapping = this.#rules.map(sensor, channel);
    if (mapping?.kind === "drop") {
      return { outcome: "dropped", rule: mapping.rule, original: false, mapped: undefined };
    }
    if (mapping?.kind === "metric") {
      const { rule, conversion } = mapping;
      const family = this.#served.get(mapping.family) ?? mapping.family;
      const labels = this.labels.mappedChannel(server, sensor, channel, mapping.labels);
      return { outcome: "mapped", rule, original: this.#keepOriginal, mapped: { family, labels, conversion } };
    }
    const isUnknown = channel.unit !== "" && !this.#rules.recognises(channel.unit);
    if (mapping === undefined) return isUnknown ? UNKNOWN_UNIT : UNMATCHED;
    return { ...UNMATCHED, outcome: isUnknown ? "unknown_unit" : "unconverted", rule: mapping.rule };
  }

  /** The series of a channel that is served so; `labels` are those of `prtg_channel_value`. */
  seriesOf({ original, mapped }: ChannelServing, labels: readonly string[]): readonly ValueSeries[] {
    const series: ValueSeries[] = original ? [{ family: this.labels.families.channelValue, labels }] : [];
    if (mapped !== undefined) series.push(mapped);
    return series;
  }
}

/** Serves channels as the metric table has them. */
export function plainMapper(): ChannelMapper {
  return new ChannelMapper({ labels: new SeriesLabels() });
}
