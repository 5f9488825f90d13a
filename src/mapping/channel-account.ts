import type { TreeNode } from "../model/tree.ts";
import type { ChannelMapper } from "./channel-mapper.ts";
import type { ChannelIdentity } from "./families/labels.ts";
import { type ChannelServing, type MappingOutcome, type Rule, ruleTitle, type ValueSeries } from "./rules/rule.ts";
import { convert } from "./units/base-units.ts";

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
