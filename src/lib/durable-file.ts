import { chmodSync, closeSync, constants, lstatSync, openSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { errorCode } from "./error-code.ts";

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

export const PRIVATE_DIRECTORY = 0o700;
export const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;

/** Windows has neither this flag nor links of unprivileged users. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Creates a directory and its parents. Keeps the rights of existing ones. */
export async function createPrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY });
}

/**
 * Creates a new file. Removes a link of another user instead of following it.
 * @param mode Default: private. The umask applies.
 */
export async function openNewFile(path: string, mode = PRIVATE_FILE): Promise<FileHandle> {
  await unlink(path).catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });
  return open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, mode);
}

/**
 * Opens an existing or new file. Rejects with ELOOP for a symbolic link.
 * @param flags As for `open`.
 */
export function openToWrite(path: string, flags: number): Promise<FileHandle> {
  return open(path, flags | NO_FOLLOW, PRIVATE_FILE);
}

/**
 * Creates a private file if it is missing. Never opens an existing one: closing it would end a lock of this process.
 * @throws Error for a symbolic link or another file type, and errors of the system
 */
export function ensurePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, PRIVATE_FILE));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  const facts = lstatSync(path);
  if (!facts.isFile()) throw new Error(`${path} is not a regular file`);
  if ((facts.mode & OTHERS) !== 0 && facts.uid === process.geteuid?.()) chmodSync(path, PRIVATE_FILE);
}

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
