import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesMatching } from "../../src/lib/bounded-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("the pattern finds files by the last part of the path, in order of names, with ConfigMap links", async () => {
  const folder = temporaryFolder({ "b.yaml": "", "a.yaml": "", "a.yaml~": "", "c.yml": "", "prtg[1].yaml": "" });
  mkdirSync(join(folder, "..data"));
  symlinkSync("..data/linked.yaml", join(folder, "linked.yaml"));
  const names = async (pattern: string) =>
    (await filesMatching(join(folder, pattern))).map((path) => path.slice(folder.length + 1));
  expect(await names("*.yaml")).toEqual(["a.yaml", "b.yaml", "linked.yaml", "prtg[1].yaml"]);
  expect(await names("*.yml")).toEqual(["c.yml"]);
  expect(await names("b.yaml")).toEqual(["b.yaml"]);
  expect(await names("*.json")).toEqual([]);
});

test("a folder with wildcard characters is literal, and a missing folder has no files", async () => {
  const folder = temporaryFolder({});
  mkdirSync(join(folder, "[ab]{c}"));
  expect(await filesMatching(join(folder, "[ab]{c}", "*.yaml"))).toEqual([]);
  expect(await filesMatching(join(folder, "missing", "*.yaml"))).toEqual([]);
});

test("an error reports a path that is not a folder", async () => {
  const folder = temporaryFolder({ file: "" });
  await expect(filesMatching(join(folder, "file", "*.yaml"))).rejects.toMatchObject({ code: "ENOTDIR" });
});
