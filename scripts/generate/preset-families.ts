import { compilePresets as compile } from "../../src/app/mapping.ts";
import { PRESET_NAMES, type PresetName } from "../../src/config/mapping-schema.ts";
import { readPreset } from "../../src/config/rule-files.ts";
import type { MappedFamily } from "../../src/mapping/rules/rule.ts";
import type { RuleSet } from "../../src/mapping/rules/rule-set.ts";
import { code, table } from "./markdown.ts";

const BEGIN = "<!-- presets:begin -->";
const END = "<!-- presets:end -->";

/** They replace the files. */
export type PresetTexts = ReadonlyMap<PresetName, string>;
const NO_TEXTS: PresetTexts = new Map();

/** Between the markers, if present. */
export async function withPresetFamilies(page: string, texts = NO_TEXTS): Promise<string> {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END, begin);
  if (begin === -1 || end === -1) return page;
  const rows: string[][] = [];
  for (const preset of PRESET_NAMES) {
    for (const family of await familiesOf(preset, texts)) rows.push([code(preset), ...cellsOf(family)]);
  }
  const families = table(["Preset", "Name", "Unit", "Labels of its own", "Meaning"], rows);
  return `${page.slice(0, begin + BEGIN.length)}\n${families}${page.slice(end)}`;
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
