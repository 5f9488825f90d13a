import { ExporterError } from "../errors/exporter-error.ts";
import { type FileLock, tryFileLock } from "../lib/file-lock.ts";

/**
 * Keeps a second process out of a folder for as long as this one lives; the lock of one that has ended, however that came,
 * counts for nothing. `path` is of an empty file that stays. Returns the function that gives the lock back.
 * @throws ExporterError BACKFILL_BUSY
 */
export function lockFolder(folder: string, path: string): () => void {
  let lock: FileLock | undefined;
  try {
    lock = tryFileLock(path);
  } catch {
    // A file system without locks, or one that cannot be written to, of which the next step tells.
    return () => undefined;
  }
  if (lock === undefined) throw new ExporterError("BACKFILL_BUSY", `another process is writing to ${folder}`);
  return () => lock.release();
}
