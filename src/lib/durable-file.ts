import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { openNewFile } from "./private-file.ts";

/** Opens a file to read for the time of `use`. */
export function withFile<Result>(path: string, use: (file: FileHandle) => Promise<Result>): Promise<Result> {
  return closing(open(path, "r"), use);
}

/** Closes a file after `use`. */
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
 * Replaces a file as a whole: after a crash there is the old one or the new one. Hands over what `write` returns.
 * @param mode Left out: for its owner alone.
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

/** Makes the names in a folder last. Some systems cannot open or flush a folder; there the rename has to do. */
export async function syncFolder(path: string): Promise<void> {
  try {
    await withFile(path, (folder) => folder.sync());
  } catch (error) {
    if (!(error instanceof Error && "code" in error && CANNOT_SYNC_FOLDERS.includes(error.code))) throw error;
  }
}
