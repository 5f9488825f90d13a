import { constants } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { MAX_DATA_BYTES, readTextFile, withinTime } from "../lib/bounded-files.ts";
import { closing, syncFolder } from "../lib/durable-file.ts";
import { createPrivateDirectory, openNewFile, openToWrite } from "../lib/private-file.ts";

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
