import { createHash } from "node:crypto";
import type { ListFiles, ReadFile } from "../config/reading-files.ts";
import type { Runtime } from "../lib/runtime.ts";

/** Between two equal reads: a file may be half written, or a folder half swapped. */
const SETTLES_IN_MS = 1_000;
/** Pause without a watch, until a reload changes that. */
const IDLE_MS = 30_000;

/** All files, or those of `servers_from` and the files that they name. */
export type WatchScope = "all" | "servers";

interface WatchFile {
  readonly content: string;
  readonly ofServers: boolean;
  /** The content of now. Never rejects. */
  readonly look: () => Promise<string>;
}

export interface WatchedReads {
  readonly readFile: ReadFile;
  /** For `servers_from`. */
  readonly ofServers: { readonly listFiles: ListFiles; readonly readFile: ReadFile };
}

/** The files of a configuration, with the content of the last read. */
export class ConfigFiles {
  readonly #readFile: ReadFile;
  readonly #listFiles: ListFiles;
  #files = new Map<string, WatchFile>();

  constructor(readFile: ReadFile, listFiles: ListFiles) {
    this.#readFile = readFile;
    this.#listFiles = listFiles;
  }

  /** Watches all files that `load` reads. If it rejects, files that it did not reach are watched further. */
  async read<Result>(load: (reads: WatchedReads) => Promise<Result>): Promise<Result> {
    const seen = new Map<string, WatchFile>();
    const reader = (ofServers: boolean) => (path: string) => this.#note(seen, path, ofServers, this.#readFile, digest);
    const listFiles = (pattern: string) => this.#note(seen, pattern, true, this.#listFiles, digestOfList);
    try {
      const result = await load({
        readFile: reader(false),
        ofServers: { readFile: reader(true), listFiles },
      });
      this.#files = seen;
      return result;
    } catch (error) {
      for (const [path, file] of seen) this.#files.set(path, file);
      throw error;
    }
  }

  /** Differences from the last read, as text; empty without any. */
  async changes(scope: WatchScope = "all"): Promise<string> {
    const changes: string[] = [];
    for (const [path, { content, ofServers, look }] of this.#files) {
      if (scope === "servers" && !ofServers) continue;
      const now = await look();
      if (now !== content) changes.push(`${path} ${now}`);
    }
    return changes.join("\n");
  }

  async #note<Found>(
    seen: Map<string, WatchFile>,
    path: string,
    ofServers: boolean,
    read: (path: string) => Promise<Found>,
    digestOf: (found: Found) => string,
  ): Promise<Found> {
    const look = () => read(path).then(digestOf, () => ABSENT);
    // Servers of both places may share a key file.
    const isOfServers = ofServers || seen.get(path)?.ofServers === true;
    const note = (content: string) => void seen.set(path, { content, ofServers: isOfServers, look });
    try {
      const found = await read(path);
      note(digestOf(found));
      return found;
    } catch (error) {
      note(ABSENT);
      throw error;
    }
  }
}

export interface ConfigWatchOptions extends Pick<Runtime, "clock" | "log"> {
  readonly files: Pick<ConfigFiles, "changes">;
  /** `undefined`: watch nothing for now. Called before each check. */
  readonly watched: () => { readonly intervalMs: number; readonly scope: WatchScope } | undefined;
  readonly reload: () => Promise<unknown>;
}

/** Reloads when the content of files changes. Events of the file system would miss the links of a ConfigMap. Resolves when `signal` aborts. */
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
        log.info("configuration files have changed: reloading");
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
