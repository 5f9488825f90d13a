import { FileFault } from "../lib/bounded-files.ts";

/** Reads a text file as UTF-8; rejects with the error of the file system. */
export type ReadFile = (path: string) => Promise<string>;

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "a part of the path is no directory",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "the path is too long",
  ENXIO: "it is a socket or a device",
};

/** Why a file cannot be read, without its path: Node's own message repeats it, and it may be a misplaced secret. */
export function fileFault(error: unknown): string {
  if (error instanceof FileFault) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return FAULTS[code] ?? code;
}
