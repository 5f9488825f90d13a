import type { StateFiles } from "../../src/sync/state-files.ts";

/** A directory in memory, which a test can look into and break. */
export interface MemoryFiles extends StateFiles {
  readonly content: Map<string, string>;
  /** Names that were read and written, in turn. */
  readonly reads: string[];
  readonly writes: string[];
  /** What each call rejects with. */
  fault: Error | undefined;
}

export function memoryFiles(): MemoryFiles {
  const content = new Map<string, string>();
  const files: MemoryFiles = {
    content,
    reads: [],
    writes: [],
    fault: undefined,
    read: async (name) => {
      files.reads.push(name);
      if (files.fault !== undefined) throw files.fault;
      return content.get(name);
    },
    write: async (name, text) => {
      files.writes.push(name);
      if (files.fault !== undefined) throw files.fault;
      content.set(name, text);
    },
    rename: async (from, to) => {
      const text = content.get(from);
      if (text === undefined) throw new Error(`ENOENT: ${from}`);
      content.delete(from);
      content.set(to, text);
    },
    syncDirectory: async () => undefined,
  };
  return files;
}
