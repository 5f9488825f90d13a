import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { ReadFile } from "../config/reading-files.ts";
import type { Clock } from "../lib/clock.ts";

/** A file that is being written, or a folder that is being swapped, is left alone until two looks this far apart agree. */
const SETTLES_IN_MS = 1_000;

/** The files of a configuration, and what each held when it was read last. */
export class ConfigFiles {
  readonly #readFile: ReadFile;
  #known = new Map<string, string>();

  constructor(readFile: ReadFile) {
    this.#readFile = readFile;
  }

  /** Has `load` read files with what it is given. When it rejects, those that it did not get to are still watched. */
  async read<Result>(load: (readFile: ReadFile) => Promise<Result>): Promise<Result> {
    const seen = new Map<string, string>();
    try {
      const result = await load(async (path) => {
        try {
          const text = await this.#readFile(path);
          seen.set(path, digest(text));
          return text;
        } catch (error) {
          seen.set(path, ABSENT);
          throw error;
        }
      });
      this.#known = seen;
      return result;
    } catch (error) {
      for (const [path, content] of seen) this.#known.set(path, content);
      throw error;
    }
  }

  /** What differs now from what was read, the same text for the same content; empty when nothing does. */
  async changes(): Promise<string> {
    const changes: string[] = [];
    for (const [path, content] of this.#known) {
      const now = await this.#readFile(path).then(digest, () => ABSENT);
      if (now !== content) changes.push(`${path} ${now}`);
    }
    return changes.join("\n");
  }
}

export interface ConfigWatchOptions {
  readonly files: Pick<ConfigFiles, "changes">;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reads the files again. */
  readonly reload: () => Promise<unknown>;
}

/**
 * Looks at the content of files time and again, and has them reloaded when it is another one: it notices what events of the
 * file system miss, such as the swapped links of a ConfigMap. Resolves when `signal` aborts.
 */
export async function watchConfig(options: ConfigWatchOptions, signal: AbortSignal): Promise<void> {
  const { files, intervalMs, clock, log, reload } = options;
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => undefined);
  while (!signal.aborted) {
    await pause(intervalMs);
    let changes = signal.aborted ? "" : await files.changes();
    while (changes !== "" && !signal.aborted) {
      await pause(SETTLES_IN_MS);
      const later = await files.changes();
      if (later === changes && !signal.aborted) {
        log.info("files of the configuration have changed: reading it again");
        await reload();
        break;
      }
      changes = later;
    }
  }
}

const ABSENT = "absent";

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
