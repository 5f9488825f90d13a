import type { TreeNode } from "../model/tree.ts";
import type { MetricFamily } from "./families/family.ts";
import type { ChannelIdentity, ChannelSubject } from "./families/labels.ts";
import {
  type ChannelServing,
  type MappedFamily,
  type MappingOutcome,
  type Rule,
  ruleTitle,
  type ValueSeries,
} from "./rules/rule.ts";
import type { RuleSet } from "./rules/rule-set.ts";
import { SeriesLabels } from "./series-labels.ts";
import { convert } from "./units/base-units.ts";

export interface ChannelMapperOptions {
  readonly labels: SeriesLabels;
  /** `undefined`: no rules. */
  readonly rules?: RuleSet | undefined;
  /** Serve `prtg_channel_value` beside the mapped series. */
  readonly keepOriginal?: boolean;
}

/** Shared by most channels. */
const UNMATCHED: ChannelServing = { outcome: "unmatched", rule: undefined, original: true, mapped: undefined };
const UNKNOWN_UNIT: ChannelServing = { ...UNMATCHED, outcome: "unknown_unit" };

/** Decides how a channel is served when it appears or changes. */
export class ChannelMapper {
  readonly labels: SeriesLabels;
  readonly families: readonly MappedFamily[];
  /** `undefined`: no rules. */
  readonly rules: RuleSet | undefined;
  readonly #keepOriginal: boolean;
  readonly #served = new Map<MappedFamily, MappedFamily>();

  constructor({ labels, rules, keepOriginal = true }: ChannelMapperOptions) {
    this.labels = labels;
    this.rules = rules;
    this.#keepOriginal = keepOriginal;
    for (const family of rules?.families ?? []) {
      const limits = labels.mappedFamily(family.limits, [...family.ruleLabels, "limit"]);
      this.#served.set(family, { ...labels.mappedFamily(family, family.ruleLabels), limits });
    }
    this.families = [...this.#served.values()];
  }

  get hasRules(): boolean {
    return this.rules !== undefined;
  }

  /** All families of the store, those of the metric table first. */
  storeFamilies(): readonly MetricFamily[] {
    return [...Object.values(this.labels.families), ...this.families.flatMap((family) => [family, family.limits])];
  }

  serve(server: string, channel: ChannelSubject): ChannelServing {
    if (this.rules === undefined) return UNMATCHED;
    const mapping = this.rules.map(channel.sensor.node, channel);
    if (mapping?.kind === "drop") {
      return { outcome: "dropped", rule: mapping.rule, original: false, mapped: undefined };
    }
    if (mapping?.kind === "metric") {
      const { rule, conversion } = mapping;
      const family = this.#served.get(mapping.family) ?? mapping.family;
      const labels = this.labels.mappedChannel(server, channel).concat(mapping.labels);
      return { outcome: "mapped", rule, original: this.#keepOriginal, mapped: { family, labels, conversion } };
    }
    const isUnknown = channel.unit !== "" && !this.rules.recognises(channel.unit);
    if (mapping === undefined) return isUnknown ? UNKNOWN_UNIT : UNMATCHED;
    return { ...UNMATCHED, outcome: isUnknown ? "unknown_unit" : "unconverted", rule: mapping.rule };
  }

  /** `labels`: of `prtg_channel_value`. */
  seriesOf({ original, mapped }: ChannelServing, labels: readonly string[]): readonly ValueSeries[] {
    const series: ValueSeries[] = original ? [{ family: this.labels.families.channelValue, labels }] : [];
    if (mapped !== undefined) series.push(mapped);
    return series;
  }
}

/** Without configuration. */
export function plainMapper(): ChannelMapper {
  return new ChannelMapper({ labels: new SeriesLabels() });
}

export interface AccountedSeries extends Pick<ValueSeries, "family" | "labels"> {
  readonly value: number | undefined;
}

/** Explains the series of a channel to people. */
export interface ChannelAccount {
  readonly outcome: MappingOutcome;
  /** Like `rules[3] of preset ping`. */
  readonly rule: string | undefined;
  readonly reason: string;
  readonly series: readonly AccountedSeries[];
}

/** `value`: in the display unit. */
export function accountFor(
  mapper: ChannelMapper,
  server: string,
  node: TreeNode,
  { value, ...identity }: ChannelIdentity & { readonly value?: number | undefined },
): ChannelAccount {
  const channel = { ...identity, sensor: { node } };
  const serving = mapper.serve(server, channel);
  const series = mapper.seriesOf(serving, mapper.labels.channel(server, channel));
  return {
    outcome: serving.outcome,
    rule: serving.rule && titleOf(serving.rule),
    reason: mapper.hasRules ? reasonFor(serving, channel.unit) : "no rules are configured",
    series: series.map(({ family, labels, conversion }) => {
      const isConverted = value !== undefined && conversion !== undefined;
      return { family, labels, value: isConverted ? convert(conversion, value) : value };
    }),
  };
}

function titleOf({ source, ordinal }: Rule): string {
  return ruleTitle(source, ordinal);
}

function reasonFor({ outcome, rule }: ChannelServing, unit: string): string {
  const title = rule === undefined ? "" : titleOf(rule);
  switch (outcome) {
    case "mapped":
      return title;
    case "dropped":
      return `${title} drops it`;
    case "unconverted": {
      const target = rule?.settings.kind === "metric" ? rule.settings.unit : undefined;
      return `${title} matches, but the unit ${JSON.stringify(unit)} does not convert to ${target}`;
    }
    case "unknown_unit":
      return `${rule === undefined ? "no rule matches, and" : `${title} matches, but`} the unit ${JSON.stringify(unit)} is unknown`;
    case "unmatched":
      return "no rule matches";
  }
}
