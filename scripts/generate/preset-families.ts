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
Each heading is a preset, and each line one of its metrics. \`mapping: { presets: [all] }\` enables all presets, and [mapping](mapping.md) explains how
they name channels. The names of \`base-units\` contain the unit, and their label \`channel\` names the channel.
[Kinds of sensors](sensor-kinds.md) lists the channels that the presets know.
`;

export async function presetsPage(texts = NO_TEXTS): Promise<string> {
  const sections: string[] = [];
  for (const preset of PRESET_NAMES) {
    const families = table(
      ["Name", "Unit", "Labels of its own", "Meaning"],
      (await familiesOf(preset, texts)).map(cellsOf),
    );
    sections.push(`\n## ${code(preset)}\n\n${families}`);
  }
  return [pageHead("Presets", "config/sensor-kinds.yaml"), INTRODUCTION, ...sections].join("");
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
