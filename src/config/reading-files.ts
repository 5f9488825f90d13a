import type { ErrorCode } from "../errors/catalogue.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import { FileFault } from "../lib/bounded-files.ts";
import { printable } from "../lib/printable-text.ts";
import type { ConfigProblem } from "./config-error.ts";

/** Reads a text file as UTF-8; rejects with the error of the file system. */
export type ReadFile = (path: string) => Promise<string>;

/** The files that a path with `*` in its last part stands for; rejects with the error of the file system. */
export type ListFiles = (pattern: string) => Promise<readonly string[]>;

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

/** A file that cannot be read as a whole; `what` is its role, such as "the configuration file". */
export function unreadableFile(code: ErrorCode, file: string, what: string, error: unknown): ConfigProblem {
  const place = error instanceof FileFault ? error.place : undefined;
  const location = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  return { code, location, ...place, key: "", text: `${what} cannot be read: ${fileFault(error)}` };
}

/** Who may do what with a file. */
export interface FileAccess {
  /** Permission bits, as `chmod` takes them. */
  readonly mode: number;
  /** Whether the file belongs to root. */
  readonly ofRoot: boolean;
}

/** Undefined where the system has no such permissions; rejects with the error of the file system. */
export type ReadAccess = (path: string) => Promise<FileAccess | undefined>;

export interface SecretFilesOptions {
  readonly readFile: ReadFile;
  /** Left out: permissions are not looked at. */
  readonly readAccess?: ReadAccess | undefined;
  /** Refuse files that others may read; otherwise `onExposed` is told. */
  readonly strict: boolean;
  /** In words for people. */
  readonly onExposed: (text: string) => void;
}

const OTHERS = 0o007;
const GROUP = 0o070;
const GROUP_READ = 0o040;

/**
 * Reads files that hold secrets, and looks at who may read them: only the owner, or, where that is root, the
 * group, whose members were chosen then. It is the rule of PostgreSQL for its keys, and leaves a way for containers that do
 * not run as root. A link counts as the file that it leads to.
 * The reader rejects with ExporterError SECRET_EXPOSED, or with the error of the file system.
 */
export function secretFileReader({ readFile, readAccess, strict, onExposed }: SecretFilesOptions): ReadFile {
  return async (path) => {
    // Before it is read, so that a file that cannot be read is reported as that.
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

/** Who has more rights than is good; undefined when there are none. */
export function exposureOf({ mode, ofRoot }: FileAccess): string | undefined {
  const bits = (mode & 0o777).toString(8).padStart(4, "0");
  if (mode & OTHERS) return `is open to every user of the system (mode ${bits})`;
  if (mode & GROUP & ~(ofRoot ? GROUP_READ : 0)) return `is open to its group (mode ${bits})`;
  return undefined;
}
