import { createHash } from "node:crypto";
import type { Config } from "../config/load.ts";

/** What in a configuration decides which series history becomes, as fingerprints: the same text for the same effect. */
export interface SeriesSettings {
  readonly labels: string;
  /** Of the rules themselves, wherever they are written. */
  readonly mapping: string;
}

export function seriesSettings({ labels, mapping, ruleFiles }: Pick<Config, "labels" | "mapping" | "ruleFiles">) {
  const { keep, rename, fromTags } = labels;
  const rules = ruleFiles.flatMap((file) => file.rules);
  const { keepOriginal, byteUnits } = mapping;
  return {
    labels: fingerprint({ keep: keep && [...keep].sort(), rename: [...rename].sort(), fromTags }),
    // Without rules nothing is mapped, however it would be.
    mapping: fingerprint(rules.length === 0 ? [] : { rules, keepOriginal, byteUnits }),
  } satisfies SeriesSettings;
}

function fingerprint(settings: unknown): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
}
