import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { printable } from "../lib/printable-text.ts";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { ConfigDocument } from "./document.ts";
import type { Environment } from "./environment.ts";
import { type MappingSettings, type PresetName, type RuleSettings, ruleFileSchema } from "./mapping-schema.ts";
import type { KeyPath, Origin } from "./origin.ts";
import { fileFault, type ReadFile } from "./reading-files.ts";
import { validateAs } from "./validation.ts";

/** Same distance from `src` and `dist`. */
export const PRESET_FOLDER = new URL("../../config/mappings/", import.meta.url);

export function readPreset(name: PresetName): Promise<string> {
  return readFile(new URL(`${name}.yaml`, PRESET_FOLDER), "utf8");
}

export interface RuleFile {
  readonly label: string;
  readonly isPreset: boolean;
  readonly rules: readonly RuleSettings[];
  readonly origin: Origin;
  /** Path from the root to the list of rules. */
  readonly path: KeyPath;
}

export interface RuleFilesOptions {
  readonly file: string;
  readonly origin: Origin;
  /** Folder of relative paths. Empty: the working directory. */
  readonly base: string;
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly readPreset?: (name: PresetName) => Promise<string>;
}

/** Rules of the configuration, its files and presets, in the order of evaluation. @throws ConfigError with the problems of all files */
export async function readRuleFiles(settings: MappingSettings, options: RuleFilesOptions): Promise<RuleFile[]> {
  const { file, origin, base, env, readFile } = options;
  const problems: ConfigProblem[] = [];
  let more = 0;
  const inline: RuleFile = {
    label: file,
    isPreset: false,
    rules: settings.rules,
    origin: hidden(origin),
    path: ["mapping", "rules"],
  };
  const read: RuleFile[] = [inline];
  for (const [index, path] of settings.files.entries()) {
    let text: string;
    try {
      text = await readFile(resolve(base, path));
    } catch (error) {
      const place = origin.place(["mapping", "files", index], "value");
      problems.push({
        code: "RULES_UNREADABLE",
        ...place,
        text: `${printable(path)} cannot be read: ${fileFault(error)}`,
      });
      continue;
    }
    const parsed = parseRuleFile(text, path, { env, isPreset: false }, problems);
    more += parsed.more;
    read.push(parsed.file);
  }
  read.push(...(await readPresets(settings.presets, problems, options.readPreset)));
  if (problems.length > 0) throw new ConfigError(problems, more);
  return read;
}

/** Reads presets in the order of evaluation. */
export function readPresets(
  names: readonly PresetName[],
  problems: ConfigProblem[],
  read: (name: PresetName) => Promise<string> = readPreset,
): Promise<RuleFile[]> {
  return Promise.all(
    presetOrder(names).map(async (name) => {
      const options = { env: {}, isPreset: true };
      return parseRuleFile(await read(name), `preset ${name}`, options, problems).file;
    }),
  );
}

/** The catch-all preset comes last. */
function presetOrder(names: readonly PresetName[]): readonly PresetName[] {
  return names.toSorted((a, b) => Number(a === "base-units") - Number(b === "base-units"));
}

function parseRuleFile(
  text: string,
  label: string,
  { env, isPreset }: { readonly env: Environment; readonly isPreset: boolean },
  problems: ConfigProblem[],
): { readonly file: RuleFile; readonly more: number } {
  const nothing = { label, isPreset, rules: [], path: ["rules"] };
  let document: ConfigDocument;
  try {
    document = new ConfigDocument(text, label, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return { file: { ...nothing, origin: NOWHERE }, more: 0 };
  }
  const validation = validateAs(ruleFileSchema, document.value ?? {}, document);
  problems.push(...document.problems, ...validation.problems);
  const file = { ...nothing, rules: validation.settings?.rules ?? [], origin: hidden(document) };
  return { file, more: validation.more };
}

/** Hides the text behind an origin when the configuration is printed, because it may contain secrets. */
function hidden(origin: Origin): Origin {
  return {
    place: (path, part) => origin.place(path, part),
    reference: (path) => origin.reference(path),
    source: (path) => origin.source(path),
  };
}

const NOWHERE: Origin = {
  place: () => ({ location: "", key: "" }),
  reference: () => undefined,
  source: () => undefined,
};
