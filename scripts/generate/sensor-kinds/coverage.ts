import type { Mapping } from "../../../src/mapping/rules/rule.ts";
import type { RuleSet } from "../../../src/mapping/rules/rule-set.ts";
import { exampleNames, type KnownChannel, type Language } from "./table.ts";

export function mapExample(rules: RuleSet, kind: string, name: string, unit: string): Mapping | undefined {
  const sensor = { type: kind, typeName: "", tags: [], inheritedTags: [], device: "", path: "" };
  return rules.map(sensor, { name, unit });
}

/** Not only by `base-units`. */
export function isCurated(rules: RuleSet, kind: string, channel: KnownChannel, language: Language): boolean {
  return exampleNames(channel, language).every(({ name }) => {
    const mapping = mapExample(rules, kind, name, channel.unit);
    return mapping?.kind === "metric" && mapping.rule.source !== "preset base-units";
  });
}
