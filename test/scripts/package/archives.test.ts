import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { list } from "tar";
import { expect, onTestFinished, test } from "vitest";
import { writeTarball, writeZip } from "../../../scripts/package/archives.ts";
import { listTree, normalize } from "../../../scripts/package/trees.ts";

const TIME = new Date("2026-11-22T10:00:00Z");

/** Other rights and times must not matter. */
function makeTree(names: readonly string[], mode: number): string {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-tree-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const top = path.join(folder, "a-1.0.0");
  for (const name of names) {
    const file = path.join(top, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, name);
    chmodSync(file, mode);
    utimesSync(file, mode, mode);
  }
  normalize(top, TIME);
  return top;
}

const NAMES = ["bin/a", "dist/main.js", "dist-b/x.js", "dist/ä.js"];

test("folders come before their contents, in an order independent of language", () => {
  expect(listTree(makeTree(NAMES, 0o600))).toEqual([
    "bin",
    "bin/a",
    "dist",
    "dist-b",
    "dist-b/x.js",
    "dist/main.js",
    "dist/ä.js",
  ]);
});

test.each([
  ["tar.gz", writeTarball],
  ["zip", writeZip],
])("a %s of the same files has the same bytes for any author and time", async (_, write) => {
  const [one, other] = [makeTree(NAMES, 0o600), makeTree(NAMES.toReversed(), 0o777)];
  const archives: Buffer[] = [];
  for (const tree of [one, other]) {
    await write(tree, `${tree}.archive`, TIME);
    archives.push(readFileSync(`${tree}.archive`));
  }
  expect(archives[0]?.equals(archives[1] ?? Buffer.of())).toBe(true);
});

test("programs are executable, other files readable, and none has an owner", async () => {
  const tree = makeTree(NAMES, 0o600);
  expect(statSync(path.join(tree, "bin/a")).mode & 0o777).toBe(0o755);
  await writeTarball(tree, `${tree}.tar.gz`, TIME);
  const entries: [string, string | undefined, number | undefined][] = [];
  await list({
    file: `${tree}.tar.gz`,
    onReadEntry: (entry) => entries.push([entry.path, entry.mode?.toString(8), entry.uid]),
  });
  expect(entries).toContainEqual(["a-1.0.0/bin/a", "755", undefined]);
  expect(entries).toContainEqual(["a-1.0.0/dist/main.js", "644", undefined]);
});

test("the archive rejects links and special files", () => {
  const tree = makeTree(NAMES, 0o600);
  symlinkSync("/etc/passwd", path.join(tree, "link"));
  expect(() => normalize(tree, TIME)).toThrow(/link is neither a file nor a folder/);
});
