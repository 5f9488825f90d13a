import { constants, type Stats } from "node:fs";
import { access, lstat, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ExporterError } from "../../errors/exporter-error.ts";
import { replaceFile } from "../../lib/durable-file.ts";
import { errorCode } from "../../lib/error-code.ts";
import { configText, type Draft, newKeyFile } from "./draft.ts";

/**
 * Before the first question.
 * @param apiKeyFile Undefined: a new one.
 * @throws ExporterError INIT_FILE_EXISTS, INIT_UNWRITABLE
 */
export async function checkTargets(file: string, apiKeyFile: string | undefined, mayReplace: boolean): Promise<void> {
  const keyFile = apiKeyFile ?? newKeyFile(file);
  if (resolve(keyFile) === resolve(file)) throw unwritable(file, new Error("the API key has the same path"));
  const files = apiKeyFile === undefined ? [file, keyFile] : [file];
  for (const file of files) {
    const existing = await statsOf(file);
    if (existing?.isDirectory()) throw unwritable(file, new Error("it is a directory"));
    if (existing !== undefined && !mayReplace) throw new ExporterError("INIT_FILE_EXISTS", `${file} exists`);
    await access(dirname(file), constants.W_OK).catch((error) => {
      throw unwritable(file, error);
    });
  }
}

async function statsOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw unwritable(file, error);
  }
}

/**
 * The key first. For the owner only. Resolves with the paths.
 * @throws ExporterError INIT_UNWRITABLE. Then no new file stays, so that the next run does not find its key file.
 */
export async function writeDraft(draft: Draft): Promise<readonly string[]> {
  const { file, apiKey } = draft;
  const texts = new Map([[file, configText(draft)]]);
  if ("value" in apiKey) texts.set(newKeyFile(file), `${apiKey.value}\n`);
  const files = [...texts.keys()].toReversed();
  const created: string[] = [];
  for (const each of files) {
    const isNew = (await statsOf(each)) === undefined;
    try {
      await replaceFile(each, (handle) => handle.writeFile(texts.get(each) ?? ""));
    } catch (error) {
      for (const file of created) await rm(file, { force: true });
      throw unwritable(each, error);
    }
    if (isNew) created.push(each);
  }
  return files;
}

function unwritable(file: string, cause: unknown): ExporterError {
  return new ExporterError("INIT_UNWRITABLE", `cannot write ${file}`, { cause });
}
