import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { removeOldReadyFile, removeReadyFile } from "../../src/command/ready-file.ts";

function fileWith(text: string): string {
  return join(temporaryFolder({ "ready.json": text }), "ready.json");
}

const OTHER = JSON.stringify({ pid: process.pid + 1 });

test("the file of an earlier run goes at the start", async () => {
  const file = fileWith(OTHER);
  await removeOldReadyFile(file);
  await removeOldReadyFile(file);
  expect(existsSync(file)).toBe(false);
});

test.each(["notes", "{}", "[]", '{ "pid": "me" }'])(
  "a file with %s stays, because it is no ready file",
  async (text) => {
    const file = fileWith(text);
    await expect(removeOldReadyFile(file)).rejects.toThrow();
    await removeReadyFile(file);
    expect(readFileSync(file, "utf8")).toBe(text);
  },
);

test("a folder is no ready file", async () => {
  await expect(removeOldReadyFile(temporaryFolder({}))).rejects.toThrow("it is not a regular file");
});

test("at the end, only the own file goes", async () => {
  const [own, other] = [fileWith(JSON.stringify({ pid: process.pid })), fileWith(OTHER)];
  await removeReadyFile(own);
  await removeReadyFile(other);
  await removeReadyFile(undefined);
  expect([existsSync(own), existsSync(other)]).toEqual([false, true]);
});
