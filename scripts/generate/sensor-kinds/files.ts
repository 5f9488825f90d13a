import { PRESET_NAMES } from "../../../src/config/mapping-schema.ts";
import type { Output } from "../output.ts";
import { compilePresets, type PresetTexts } from "../preset-families.ts";
import { sensorKindsPage } from "./page.ts";
import { presetTexts } from "./presets.ts";
import { knownKindsFile } from "./simulator.ts";
import { readKindTable } from "./table.ts";

export async function sensorKindFiles(): Promise<{ readonly presets: PresetTexts; readonly files: readonly Output[] }> {
  const table = await readKindTable();
  const presets = presetTexts(table);
  const rules = await compilePresets(PRESET_NAMES, presets);
  const files = [
    ...[...presets].map(([name, content]) => ({ path: `config/mappings/${name}.yaml`, content })),
    { path: "docs/sensor-kinds.md", content: sensorKindsPage(table, rules) },
    { path: "packages/simulator/data/known-kinds.json", content: knownKindsFile(table) },
  ];
  return { presets, files };
}
