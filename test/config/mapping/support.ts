import { z } from "zod";
import { type CompiledMapping, compileMapping } from "../../../src/app/mapping.ts";
import { ConfigError } from "../../../src/config/config-error.ts";
import { ConfigDocument } from "../../../src/config/document.ts";
import { type MappingSettings, mappingSchema } from "../../../src/config/mapping-schema.ts";
import { readRuleFiles } from "../../../src/config/rule-files.ts";
import { validateAs } from "../../../src/config/validation.ts";
import { filesWith } from "../support.ts";

const SHAPE = z.strictObject({ mapping: mappingSchema });

export async function loadMapping(
  text: string,
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<CompiledMapping & { readonly settings: MappingSettings }> {
  const document = new ConfigDocument(text, "prtg.yaml", env);
  const { settings, problems } = validateAs(SHAPE, document.value, document);
  const found = [...document.problems, ...problems];
  if (settings === undefined || found.length > 0) throw new ConfigError(found);
  const ruleFiles = await readRuleFiles(settings.mapping, {
    file: "prtg.yaml",
    origin: document,
    base: "/etc/prtg",
    env,
    readFile: filesWith(files),
  });
  return { ...compileMapping(ruleFiles, settings.mapping), settings: settings.mapping };
}

export function loadRules(text: string, env: Readonly<Record<string, string>> = {}) {
  return loadMapping("mapping: { files: [rules.yaml] }\n", { "/etc/prtg/rules.yaml": text }, env);
}

export async function linesOf(loading: Promise<unknown>): Promise<string[]> {
  const error = await loading.then(
    () => new Error("the rules were accepted"),
    (reason: unknown) => reason,
  );
  if (error instanceof ConfigError) return error.message.split("\n");
  throw error;
}
