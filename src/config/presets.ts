import { readFile } from "node:fs/promises";
import type { PresetName } from "./mapping-schema.ts";

/** Beside `src` and `dist` alike, at the same distance from this module. */
export const PRESET_FOLDER = new URL("../../config/mappings/", import.meta.url);

/** The text of a preset, as UTF-8; rejects with the error of the file system. */
export function readPreset(name: PresetName): Promise<string> {
  return readFile(new URL(`${name}.yaml`, PRESET_FOLDER), "utf8");
}
