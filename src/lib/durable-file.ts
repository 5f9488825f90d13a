import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "./error-code.ts";
import { openNewFile } from "./private-file.ts";

export function withFile<Result>(path: string, use: (file: FileHandle) => Promise<Result>): Promise<Result> {
  return closing(open(path, "r"), use);
}

export async function closing<Result>(
  opened: Promise<FileHandle>,
  use: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await opened;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/**
 * Replaces a file atomically. Resolves with the result of `write`.
 * @param mode Default: for the owner only.
 */
export async function replaceFile<Result>(
  path: string,
  write: (file: FileHandle) => Promise<Result>,
  mode?: number,
): Promise<Result> {
  const temporary = `${path}.new`;
  try {
    const result = await closing(openNewFile(temporary, mode), async (file) => {
      const written = await write(file);
      await file.sync();
      return written;
    });
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

const CANNOT_SYNC_FOLDERS: readonly unknown[] = ["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"];

/** Makes renames durable. Some systems cannot flush a folder. */
export async function syncFolder(path: string): Promise<void> {
  try {
    await withFile(path, (folder) => folder.sync());
  } catch (error) {
    if (!CANNOT_SYNC_FOLDERS.includes(errorCode(error))) throw error;
  }
}
