import { chmodSync, lutimesSync, readdirSync } from "node:fs";
import path from "node:path";

const PROGRAM = /^(bin\/[^/]+|runtime\/node)$/;

/** Folders first, in the same order on every machine. */
export function listTree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort((a, b) => Buffer.compare(key(a), key(b)));
}

const key = (name: string) => Buffer.from(name);

/** Sets the same rights and time everywhere, independent of umask. */
export function normalize(folder: string, time: Date): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !entry.isFile()) throw new Error(`${file} is neither a file nor a folder`);
    const program = PROGRAM.test(path.relative(folder, file).replaceAll(path.sep, "/"));
    chmodSync(file, entry.isDirectory() || program ? 0o755 : 0o644);
    lutimesSync(file, time, time);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, time, time);
}
