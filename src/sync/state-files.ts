import { constants } from "node:fs";
import { chmod, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { MAX_DATA_BYTES, readTextFile, withinTime } from "../lib/bounded-files.ts";
import { closing, syncFolder } from "../lib/durable-file.ts";
import { printable } from "../lib/printable-text.ts";
import { createPrivateDirectory, openNewFile, openToWrite, PRIVATE_DIRECTORY } from "../lib/private-file.ts";

/** A directory of small files, in steps that can fail one by one. Every call rejects with the error of the system. */
export interface StateFiles {
  /** Undefined when there is no such file. */
  read(name: string): Promise<string | undefined>;
  /** Writes a file anew and has it flushed to the disk before it resolves. Where that fails there is no such file. */
  write(name: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Has renames flushed to the disk. */
  syncDirectory(): Promise<void>;
}

/** The same, for files that grow. */
export interface JournalFiles extends StateFiles {
  /** Adds to the end of a file, which is there, and has it flushed to the disk. Where that fails a part may have been added. */
  append(name: string, text: string): Promise<void>;
}

/**
 * Files in a directory of the host, which is created with the first one. Only their owner may read them. Links are not
 * followed when a file is written.
 */
export function createStateFiles(directory: string): JournalFiles {
  const within = <Result>(use: () => Promise<Result>) => withinTime(directory, use);
  return {
    async read(name) {
      try {
        return await readTextFile(join(directory, name), { maxBytes: MAX_DATA_BYTES, allowsOtherEncodings: true });
      } catch (error) {
        if (codeOf(error) === "ENOENT") return undefined;
        throw error;
      }
    },
    write: (name, text) =>
      within(async () => {
        await createPrivateDirectory(directory);
        const path = join(directory, name);
        await closing(openNewFile(path), async (file) => {
          try {
            await file.writeFile(text).then(() => file.sync());
          } catch (error) {
            // A part of it is of no use, and takes the space that a full disk lacks.
            await rm(path, { force: true }).catch(() => undefined);
            throw error;
          }
        });
      }),
    append: (name, text) =>
      within(async () => {
        // Not created: without its beginning the rest is of no use.
        await closing(openToWrite(join(directory, name), constants.O_WRONLY | constants.O_APPEND), async (file) => {
          await file.writeFile(text);
          await file.sync();
        });
      }),
    rename: (from, to) => within(() => rename(join(directory, from), join(directory, to))),
    syncDirectory: () => within(() => syncFolder(directory)),
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** The same files, of which none is written before `check` resolves. */
export function checkedFiles(files: JournalFiles, check: () => Promise<void>): JournalFiles {
  return {
    ...files,
    write: (name, text) => check().then(() => files.write(name, text)),
    append: (name, text) => check().then(() => files.append(name, text)),
  };
}

const OTHERS = 0o007;
const SET_GROUP = 0o2000;

/** Of the exporter. A directory that holds anything else is not its own. */
const STATE_FILE =
  /^(claims\.lock|claim-[\w-]+\.(lock|json(\.tmp)?)|(watermarks|objects|events)-.+|instance-id(-\d+)?|backfill)$/;

/** Who else may use the directory of the state. */
export interface StateDirectoryFinding {
  /** `closed`: it was open, and is no more. `volume`: Kubernetes opened it, and only the containers of its pod see it. */
  readonly kind: "open" | "closed" | "volume";
  readonly text: string;
}

/**
 * Looks at the rights of a directory; undefined if it is for its owner and group only, is not there yet, or is on
 * Windows. `mend`: close it, if it belongs to this user and holds nothing but state, as those that older releases made.
 * Never rejects.
 */
export async function inspectStateDirectory(path: string, mend: boolean): Promise<StateDirectoryFinding | undefined> {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  return withinTime(path, () => inspect(path, mend, uid)).catch(() => undefined);
}

async function inspect(path: string, mend: boolean, uid: number): Promise<StateDirectoryFinding | undefined> {
  const facts = await stat(path);
  if ((facts.mode & OTHERS) === 0) return undefined;
  const rights = `state_dir ${printable(path)} is open to every user of the system (mode ${octal(facts.mode)})`;
  // As Kubernetes does for volumes of a pod with an fsGroup. Without this bit the group of the next pod has no rights.
  if ((facts.mode & SET_GROUP) !== 0) return { kind: "volume", text: rights };
  const isOurs = facts.uid === uid && (await readdir(path)).every((name) => STATE_FILE.test(name));
  if (isOurs && mend) {
    await chmod(path, PRIVATE_DIRECTORY);
    return { kind: "closed", text: `state_dir ${printable(path)} had mode ${octal(facts.mode)}, now 0700` };
  }
  const remedy = isOurs ? "serve sets mode 0700" : "set mode 0700, or give the exporter a directory of its own";
  return { kind: "open", text: `${rights}: ${remedy}` };
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}
