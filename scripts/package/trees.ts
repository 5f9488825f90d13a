import { chmodSync, lutimesSync, readdirSync } from "node:fs";
import path from "node:path";

/** What is started; everything else is read. */
const PROGRAM = /^(bin\/[^/]+|runtime\/node)$/;

/** Paths below a folder, folders before what is in them, in the same order on every machine. */
export function listTree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort((a, b) => Buffer.compare(key(a), key(b)));
}

const key = (name: string) => Buffer.from(name);

/** Gives everything the same rights and time, however the umask is and whenever it was made. */
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
