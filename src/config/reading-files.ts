import type { ErrorCode } from "../errors/catalogue.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import { FileFault } from "../lib/bounded-files.ts";
import { printable } from "../lib/printable-text.ts";
import { ConfigError, type ConfigProblem } from "./config-error.ts";

/** UTF-8. Rejects with the file system's error. */
export type ReadFile = (path: string) => Promise<string>;

/** Expands `*` in the last part of a path. Rejects with the file system's error. */
export type ListFiles = (pattern: string) => Promise<readonly string[]>;

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "a part of the path is not a directory",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "the path is too long",
  ENXIO: "it is a socket or a device",
};

/** Omits the path, which may be a misplaced secret. */
export function fileFault(error: unknown): string {
  if (error instanceof FileFault) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return FAULTS[code] ?? code;
}

/** @param what Role, such as "the configuration file". */
export function unreadableFile(code: ErrorCode, file: string, what: string, error: unknown): ConfigProblem {
  const place = error instanceof FileFault ? error.place : undefined;
  const location = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  return { code, location, ...place, key: "", text: `${what} cannot be read: ${fileFault(error)}` };
}

/** @throws ConfigError with this code */
export async function readConfigFile(file: string, readFile: ReadFile, code: ErrorCode, what: string): Promise<string> {
  return readFile(file).catch((error: unknown) => {
    throw new ConfigError([unreadableFile(code, file, what, error)]);
  });
}

export interface FileAccess {
  readonly mode: number;
  readonly ofRoot: boolean;
}

/** `undefined` if the system has no such permissions. Rejects with the file system's error. */
export type ReadAccess = (path: string) => Promise<FileAccess | undefined>;

export interface SecretFilesOptions {
  readonly readFile: ReadFile;
  /** `undefined`: do not check permissions. */
  readonly readAccess?: ReadAccess | undefined;
  /** Refuse files that others can read. Otherwise report them to `onExposed`. */
  readonly strict: boolean;
  readonly onExposed: (text: string) => void;
}

const OTHERS = 0o007;
const GROUP = 0o070;
const GROUP_READ = 0o040;

/**
 * Only the owner may read secrets. For root's files, the group may too (as in PostgreSQL), because containers need not run as root. Checks
 * the target of a link. Rejects with ExporterError SECRET_EXPOSED, or the file system's error.
 */
export function secretFileReader({ readFile, readAccess, strict, onExposed }: SecretFilesOptions): ReadFile {
  return async (path) => {
    // First, so that an unreadable file is reported as such.
    const access = await readAccess?.(path);
    const content = await readFile(path);
    const exposure = access && exposureOf(access);
    if (exposure !== undefined) {
      const text = `file ${printable(path)} ${exposure}`;
      if (strict) throw new ExporterError("SECRET_EXPOSED", text);
      if ((access?.mode ?? 0) & OTHERS) onExposed(text);
    }
    return content;
  };
}

/** Describes excessive permissions. `undefined`: none. */
export function exposureOf({ mode, ofRoot }: FileAccess): string | undefined {
  const bits = (mode & 0o777).toString(8).padStart(4, "0");
  if (mode & OTHERS) return `is open to every user of the system (mode ${bits})`;
  if (mode & GROUP & ~(ofRoot ? GROUP_READ : 0)) return `is open to its group (mode ${bits})`;
  return undefined;
}
