import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { outdated } from "../../scripts/generate/outputs.ts";

const ROOT = new URL("../../", import.meta.url);

let directory = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "generate-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

function run(...flags: string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const script = fileURLToPath(new URL("scripts/generate.ts", ROOT));
  return new Promise((resolve) => {
    execFile(process.execPath, [script, "--root", directory, ...flags], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test("writes the files, and --check reports a difference", async () => {
  const before = await run("--check");
  expect(before.code).toBe(1);
  expect(before.stderr).toContain("docs/errors.md is out of date");
  expect((await run()).code).toBe(0);
  expect(await run("--check")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await outdated(pathToFileURL(`${directory}/`))).toEqual([]);

  const page = join(directory, "docs/errors.md");
  await writeFile(page, `${await readFile(page, "utf8")}more\n`);
  expect(await run("--check")).toEqual({
    code: 1,
    stdout: "",
    stderr: "docs/errors.md is out of date: run npm run docs\n",
  });
});
