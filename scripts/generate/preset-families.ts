import { compileMapping } from "../../src/app/mapping.ts";
import { mappingSchema, PRESET_NAMES, type PresetName } from "../../src/config/mapping-schema.ts";
import { readRuleFiles } from "../../src/config/rule-files.ts";
import type { MappedFamily } from "../../src/mapping/rules/rule.ts";
import { code, table } from "./markdown.ts";

const BEGIN = "<!-- presets:begin -->";
const END = "<!-- presets:end -->";

/** `page` with its list of the families that presets make brought up to date; unchanged when it has no place for one. */
export async function withPresetFamilies(page: string): Promise<string> {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END, begin);
  if (begin === -1 || end === -1) return page;
  const rows: string[][] = [];
  for (const preset of PRESET_NAMES) {
    for (const family of await familiesOf(preset)) rows.push([code(preset), ...cellsOf(family)]);
  }
  const families = table(["Preset", "Name", "Unit", "Labels of its own", "Meaning"], rows);
  return `${page.slice(0, begin + BEGIN.length)}\n${families}${page.slice(end)}`;
}

export async function familiesOf(preset: PresetName): Promise<readonly MappedFamily[]> {
  const settings = mappingSchema.parse({ presets: [preset] });
  const files = await readRuleFiles(settings, {
    file: "docs",
    origin: { place: () => ({ location: "docs", key: "" }), reference: () => undefined, source: () => undefined },
    base: "",
    env: {},
    readFile: () => Promise.reject(new Error("presets name no files")),
  });
  return compileMapping(files, settings).ruleSet.families;
}

function cellsOf({ name, baseUnit, ruleLabels, help }: MappedFamily): string[] {
  return [code(name), baseUnit ?? "as displayed", ruleLabels.map(code).join(" "), help];
}
