import { readdir, readFile } from "node:fs/promises";
import { devNull } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replaceFile, syncFolder } from "../../src/lib/durable-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a write replaces a file completely or not at all", async () => {
  const folder = temporaryFolder({});
  const path = join(folder, "file");
  await replaceFile(path, (file) => file.writeFile("old"));
  const failed = replaceFile(path, async (file) => {
    await file.writeFile("ne");
    throw new Error("no space");
  });
  await expect(failed).rejects.toThrow("no space");
  expect([await readFile(path, "utf8"), await readdir(folder)]).toEqual(["old", ["file"]]);
});

test("a write without a folder fails with the error of the write", async () => {
  const failed = replaceFile(join(temporaryFolder({}), "gone", "file"), () => Promise.resolve());
  await expect(failed).rejects.toMatchObject({ code: "ENOENT", syscall: "open" });
});

test("a folder that cannot flush is no failure", async () => {
  // EINVAL, like folders on some network file systems.
  await expect(syncFolder(devNull)).resolves.toBeUndefined();
});

test("a missing folder is a failure", async () => {
  await expect(syncFolder(join(temporaryFolder({}), "gone"))).rejects.toThrow("ENOENT");
});
