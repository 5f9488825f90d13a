import type { DatabaseSync } from "node:sqlite";
import { ensurePrivateFile } from "./private-file.ts";

/** What SQLite says when another process, or another part of this one, has the lock. */
const BUSY_CODES: readonly unknown[] = [5, 6];

/** A lock that ends with the process at the latest, whatever ends it. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock of the operating system on a file, which is made where it is missing and stays empty: the lock of SQLite
 * for a database that is written to. The kernel gives it back when the process is gone, it holds between containers that
 * share a volume, and between machines where the file system of a network passes locks on (NFS does).
 * Only this user may open the file: a read lock of another user would keep everybody from taking it.
 * Undefined when another process has it. The file must not be opened in any other way by this process: that ends the lock.
 * @throws Error where the file system has no locks, or the file cannot be made
 */
export function tryFileLock(path: string): FileLock | undefined {
  const sqlite = process.getBuiltinModule("node:sqlite");
  if (sqlite === undefined) throw new Error("this build of Node.js has no SQLite");
  ensurePrivateFile(path);
  let database: DatabaseSync | undefined;
  try {
    database = new sqlite.DatabaseSync(path, { timeout: 0 });
    // Nothing is ever written, so no file needs to be its journal. Newer releases of Node.js refuse to have none at all.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (error instanceof Error && "errcode" in error && BUSY_CODES.includes(error.errcode)) return undefined;
    throw error;
  }
  const held = database;
  return { release: () => held.close() };
}
