import { readdir } from "node:fs/promises";
import { basename, dirname, join, matchesGlob } from "node:path";
import { withinTime } from "./bounded-files.ts";

/**
 * The files that a path such as `servers.d/*.yaml` stands for, in the order of their names; `*` counts in its last part only.
 * None where there is no such folder. Rejects with FileFault, or with the error of the file system.
 */
export async function filesMatching(pattern: string): Promise<readonly string[]> {
  const folder = dirname(pattern);
  const names = await withinTime(folder, () => readdir(folder)).catch(noneIfMissing);
  return names
    .filter((name) => matchesGlob(name, basename(pattern)))
    .toSorted()
    .map((name) => join(folder, name));
}

function noneIfMissing(error: unknown): string[] {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
  throw error;
}
