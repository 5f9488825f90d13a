import type { ChannelServing, ValueSeries } from "./channel-serving.ts";
import type { MetricFamily } from "./families/family.ts";
import type { ChannelSubject } from "./families/labels.ts";
import type { MappedFamily } from "./rules/rule.ts";
import type { RuleSet } from "./rules/rule-set.ts";
import { SeriesLabels } from "./series-labels.ts";

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

  serve(server: string, channel: ChannelSubject): ChannelServing {
    if (this.#rules === undefined) return UNMATCHED;
    const mapping = this.#rules.map(channel.sensor.node, channel);
    if (mapping?.kind === "drop") {
      return { outcome: "dropped", rule: mapping.rule, original: false, mapped: undefined };
    }
    if (mapping?.kind === "metric") {
      const { rule, conversion } = mapping;
      const family = this.#served.get(mapping.family) ?? mapping.family;
      const labels = this.labels.mappedChannel(server, channel).concat(mapping.labels);
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
