import { compilePresets as compile } from "../../src/app/mapping.ts";
import { PRESET_NAMES, type PresetName } from "../../src/config/mapping-schema.ts";
import { readPreset } from "../../src/config/rule-files.ts";
import type { MappedFamily } from "../../src/mapping/rules/rule.ts";
import type { RuleSet } from "../../src/mapping/rules/rule-set.ts";
import { code, pageHead, table } from "./markdown.ts";

/** They replace the files. */
export type PresetTexts = ReadonlyMap<PresetName, string>;
const NO_TEXTS: PresetTexts = new Map();

const INTRODUCTION = `
Each line is a metric of a preset. \`mapping: { presets: [all] }\` enables all presets, and [mapping](mapping.md) explains how
they name channels. The names of \`base-units\` contain the unit, and their label \`channel\` names the channel.
[Kinds of sensors](sensor-kinds.md) lists the channels that the presets know.

`;

export async function presetsPage(texts = NO_TEXTS): Promise<string> {
  const rows: string[][] = [];
  for (const preset of PRESET_NAMES) {
    for (const family of await familiesOf(preset, texts)) rows.push([code(preset), ...cellsOf(family)]);
  }
  const families = table(["Preset", "Name", "Unit", "Labels of its own", "Meaning"], rows);
  return pageHead("Presets", "config/sensor-kinds.yaml") + INTRODUCTION + families;
}

export async function familiesOf(preset: PresetName, texts = NO_TEXTS): Promise<readonly MappedFamily[]> {
  return (await compilePresets([preset], texts)).families;
}

export function compilePresets(presets: readonly PresetName[], texts = NO_TEXTS): Promise<RuleSet> {
  return compile(presets, async (name) => texts.get(name) ?? (await readPreset(name)));
}

function cellsOf({ name, baseUnit, ruleLabels, help }: MappedFamily): string[] {
  return [code(name), baseUnit ?? "as displayed", ruleLabels.map(code).join(" "), help];
}
