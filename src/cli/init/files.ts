import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { ExporterError } from "../../errors/exporter-error.ts";
import { replaceFile } from "../../lib/durable-file.ts";
import { errorCode } from "../../lib/error-code.ts";
import { configText, type Draft, newKeyFile } from "./draft.ts";

/** Before the first question. @throws ExporterError INIT_FILE_EXISTS, INIT_UNWRITABLE */
export async function checkTargets(files: readonly string[], mayReplace: boolean): Promise<void> {
  for (const file of files) {
    if ((await exists(file)) && !mayReplace) throw new ExporterError("INIT_FILE_EXISTS", `${file} exists`);
    await access(dirname(file), constants.W_OK).catch((error) => {
      throw unwritable(file, error);
    });
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw unwritable(file, error);
  }
}

/** The key first. For the owner only. Resolves with the paths. @throws ExporterError INIT_UNWRITABLE */
export async function writeDraft(draft: Draft): Promise<readonly string[]> {
  const { file, apiKey } = draft;
  const texts = new Map([[file, configText(draft)]]);
  if ("value" in apiKey) texts.set(newKeyFile(file), `${apiKey.value}\n`);
  const files = [...texts.keys()].toReversed();
  for (const each of files) {
    await replaceFile(each, (handle) => handle.writeFile(texts.get(each) ?? "")).catch((error) => {
      throw unwritable(each, error);
    });
  }
  return files;
}

function unwritable(file: string, cause: unknown): ExporterError {
  return new ExporterError("INIT_UNWRITABLE", `cannot write ${file}`, { cause });
}
