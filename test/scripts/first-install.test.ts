import { execFile } from "node:child_process";
import { access, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const SCRIPT = "scripts/first-install.mjs";
const SOURCE = fileURLToPath(new URL(`../../${SCRIPT}`, import.meta.url));
const run = promisify(execFile);

/** A project with a package from its own folder, so that npm asks no registry. */
async function project(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "first-install-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "tool"));
  await writeFile(join(folder, "tool/package.json"), JSON.stringify({ name: "tool", version: "1.0.0" }));
  const dependencies = { tool: "file:tool" };
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "p", version: "1.0.0", dependencies }));
  const packages = {
    "": { name: "p", version: "1.0.0", dependencies },
    "node_modules/tool": { resolved: "tool", link: true },
    tool: { version: "1.0.0" },
  };
  const lock = { name: "p", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  await cp(SOURCE, join(folder, SCRIPT));
  return folder;
}

test("npm run demo installs first, in a fresh clone only", async () => {
  expect(manifest.scripts.predemo).toBe(`node ${SCRIPT}`);
  const cwd = await project();
  const first = await run(process.execPath, [SCRIPT], { cwd });
  expect(first.stderr).toContain("Installing what the exporter needs");
  await access(join(cwd, "node_modules/tool/package.json"));

  await rm(join(cwd, "node_modules/tool"));
  const second = await run(process.execPath, [SCRIPT], { cwd });
  expect(second).toEqual({ stdout: "", stderr: "" });
  await expect(access(join(cwd, "node_modules/tool"))).rejects.toThrow();
});

test("an install that fails ends it", async () => {
  const cwd = await project();
  await rm(join(cwd, "package-lock.json"));
  await expect(run(process.execPath, [SCRIPT], { cwd })).rejects.toMatchObject({ code: 1 });
});
