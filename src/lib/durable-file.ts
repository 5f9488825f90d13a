import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Opens a file for the time of `use`. */
export async function withFile<Result>(
  path: string,
  flags: string,
  use: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await open(path, flags);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Replaces a file as a whole: after a crash there is the old one or the new one. Hands over what `write` returns. */
export async function replaceFile<Result>(path: string, write: (file: FileHandle) => Promise<Result>): Promise<Result> {
  const temporary = `${path}.new`;
  try {
    const result = await withFile(temporary, "w", async (file) => {
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

/** Makes the names in a folder last. Some systems cannot, where a folder is nothing that can be opened. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  try {
    await folder?.sync();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "EISDIR" || error.code === "EPERM")))
      throw error;
  } finally {
    await folder?.close();
  }
}
