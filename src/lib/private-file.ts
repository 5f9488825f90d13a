import { chmodSync, closeSync, constants, lstatSync, openSync } from "node:fs";
import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";

/** For the user of the process alone. */
export const PRIVATE_DIRECTORY = 0o700;
export const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;

/** Windows has neither links that any user may make, nor this flag. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Creates a directory, and missing ones above it, for this user alone. Leaves the rights of one that exists. */
export async function createPrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY });
}

/**
 * Opens a new file in place of whatever has the name: removes a link that another user left there, and does not follow it.
 * @param mode Left out: for this user alone. The umask takes rights from it, and adds none.
 */
export async function openNewFile(path: string, mode = PRIVATE_FILE): Promise<FileHandle> {
  await unlink(path).catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });
  return open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, mode);
}

/** Opens a file that is kept. Rejects with ELOOP if it is a symbolic link. `flags`: as those of `open`. */
export function openToWrite(path: string, flags: number): Promise<FileHandle> {
  return open(path, flags | NO_FOLLOW, PRIVATE_FILE);
}

/**
 * Makes sure that a file is there, for this user alone. Never opens one that exists: closing it would end a lock that
 * this process has on it.
 * @throws Error if it is a symbolic link or no file, and errors of the file system
 */
export function ensurePrivateFile(path: string): void {
  if (createFile(path)) return;
  const facts = lstatSync(path);
  if (!facts.isFile()) throw new Error(`${path} is no regular file`);
  if ((facts.mode & OTHERS) !== 0 && facts.uid === process.geteuid?.()) chmodSync(path, PRIVATE_FILE);
}

/** False if it exists. */
function createFile(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, PRIVATE_FILE);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
  closeSync(file);
  return true;
}
