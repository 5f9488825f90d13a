import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { ListFiles, ReadFile } from "../config/reading-files.ts";
import type { Clock } from "../lib/clock.ts";

/** A file that is being written, or a folder that is being swapped, is left alone until two looks this far apart agree. */
const SETTLES_IN_MS = 1_000;
/** While nothing is to be watched, a reload may change that. */
const IDLE_MS = 30_000;

/** All files of a configuration, or those of `servers_from` and what they name. */
export type WatchScope = "all" | "servers";

/** What a file held, or which files there were, when it was looked at last. */
interface Known {
  readonly content: string;
  readonly ofServers: boolean;
  /** Tells the same of what is there now. Never rejects. */
  readonly look: () => Promise<string>;
}

/** The ways to a disk that is watched. */
export interface WatchedReads {
  readonly readFile: ReadFile;
  /** For `servers_from`. */
  readonly ofServers: { readonly listFiles: ListFiles; readonly readFile: ReadFile };
}

/** The files of a configuration, and what each held when it was read last. */
export class ConfigFiles {
  readonly #readFile: ReadFile;
  readonly #listFiles: ListFiles;
  #known = new Map<string, Known>();

  constructor(readFile: ReadFile, listFiles: ListFiles) {
    this.#readFile = readFile;
    this.#listFiles = listFiles;
  }

  /** Has `load` read files with what it is given. When it rejects, those that it did not get to are still watched. */
  async read<Result>(load: (reads: WatchedReads) => Promise<Result>): Promise<Result> {
    const seen = new Map<string, Known>();
    const reader = (ofServers: boolean) => (path: string) => this.#note(seen, path, ofServers, this.#readFile, digest);
    const listFiles = (pattern: string) => this.#note(seen, pattern, true, this.#listFiles, digestOfList);
    try {
      const result = await load({
        readFile: reader(false),
        ofServers: { readFile: reader(true), listFiles },
      });
      this.#known = seen;
      return result;
    } catch (error) {
      for (const [path, known] of seen) this.#known.set(path, known);
      throw error;
    }
  }

  /** What differs now from what was read, the same text for the same content; empty when nothing does. */
  async changes(scope: WatchScope = "all"): Promise<string> {
    const changes: string[] = [];
    for (const [path, { content, ofServers, look }] of this.#known) {
      if (scope === "servers" && !ofServers) continue;
      const now = await look();
      if (now !== content) changes.push(`${path} ${now}`);
    }
    return changes.join("\n");
  }

  async #note<Found>(
    seen: Map<string, Known>,
    path: string,
    ofServers: boolean,
    ask: (path: string) => Promise<Found>,
    digestOf: (found: Found) => string,
  ): Promise<Found> {
    const look = () => ask(path).then(digestOf, () => ABSENT);
    // A key may be that of servers in both places.
    const isOfServers = ofServers || seen.get(path)?.ofServers === true;
    const note = (content: string) => void seen.set(path, { content, ofServers: isOfServers, look });
    try {
      const found = await ask(path);
      note(digestOf(found));
      return found;
    } catch (error) {
      note(ABSENT);
      throw error;
    }
  }
}

export interface ConfigWatchOptions {
  readonly files: Pick<ConfigFiles, "changes">;
  /** How often to look, milliseconds, and at what; undefined: at nothing for now. Asked before each look. */
  readonly watched: () => { readonly intervalMs: number; readonly scope: WatchScope } | undefined;
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
  const { files, watched, clock, log, reload } = options;
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => undefined);
  while (!signal.aborted) {
    const { intervalMs, scope } = watched() ?? { intervalMs: IDLE_MS, scope: undefined };
    await pause(intervalMs);
    let changes = signal.aborted || scope === undefined ? "" : await files.changes(scope);
    while (changes !== "" && !signal.aborted) {
      await pause(SETTLES_IN_MS);
      const later = await files.changes(scope);
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

function digestOfList(paths: readonly string[]): string {
  return digest(JSON.stringify(paths));
}
