import { chmodSync, closeSync, constants, lstatSync, openSync } from "node:fs";
import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { errorCode } from "./error-code.ts";

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
  if (createFile(path)) return;
  const facts = lstatSync(path);
  if (!facts.isFile()) throw new Error(`${path} is not a regular file`);
  if ((facts.mode & OTHERS) !== 0 && facts.uid === process.geteuid?.()) chmodSync(path, PRIVATE_FILE);
}

function createFile(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, PRIVATE_FILE);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  closeSync(file);
  return true;
}
