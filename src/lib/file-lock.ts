import type { DatabaseSync } from "node:sqlite";
import { ensurePrivateFile } from "./private-file.ts";

/** SQLite's codes for a lock that is taken. */
const BUSY_CODES: readonly unknown[] = [5, 6];

export interface FileLock {
  release(): void;
}

/**
 * Locks a file (created if missing, stays empty) with SQLite's lock for writing. The kernel releases it with the
 * process. It works between containers on one volume and over NFS. The file is private, because a read lock of another
 * user would block it. Opening the file in any other way ends the lock. `undefined`: another process has it.
 * @throws Error if the file system has no locks, or the file cannot be created
 */
export function tryFileLock(path: string): FileLock | undefined {
  const sqlite = process.getBuiltinModule("node:sqlite");
  if (sqlite === undefined) throw new Error("this build of Node.js has no SQLite");
  ensurePrivateFile(path);
  let database: DatabaseSync | undefined;
  try {
    database = new sqlite.DatabaseSync(path, { timeout: 0 });
    // Nothing is written, so a journal in memory is enough. Newer Node.js refuses OFF.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (error instanceof Error && "errcode" in error && BUSY_CODES.includes(error.errcode)) return undefined;
    throw error;
  }
  const held = database;
  return { release: () => held.close() };
}
