import { execFile } from "node:child_process";
import { access, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const SCRIPT = "scripts/install-missing.cjs";
const SOURCE = fileURLToPath(new URL(`../../${SCRIPT}`, import.meta.url));
const run = promisify(execFile);
const QUIET = { stdout: "", stderr: "" };

/** Local packages need no registry. One is for development only. */
async function project(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "install-missing-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ["needed", "tool"]) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
  }
  const kinds = { dependencies: { needed: "file:needed" }, devDependencies: { tool: "file:tool" } };
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "p", version: "1.0.0", ...kinds }));
  const packages = {
    "": { name: "p", version: "1.0.0", ...kinds },
    "node_modules/needed": { resolved: "needed", link: true },
    "node_modules/tool": { resolved: "tool", link: true, dev: true },
    "node_modules/for-another-machine": { version: "1.0.0", optional: true, os: ["none"] },
    needed: { version: "1.0.0" },
    tool: { version: "1.0.0", dev: true },
  };
  const lock = { name: "p", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  await cp(SOURCE, join(folder, SCRIPT));
  return folder;
}

function isThere(folder: string, name: string): Promise<boolean> {
  return access(join(folder, "node_modules", name, "package.json")).then(
    () => true,
    () => false,
  );
}

test("the first scripts of a clone install missing packages", () => {
  const { scripts } = manifest;
  expect([scripts.predemo, scripts.prestart]).toEqual([`node ${SCRIPT}`, `node ${SCRIPT}`]);
  expect([scripts.pretest, scripts.prelint, scripts.prebuild]).toEqual(Array(3).fill(`node ${SCRIPT} --dev`));
  expect(scripts["predocs:site"]).toBe(`node ${SCRIPT} && node ${SCRIPT} --in docs`);
});

test("the script installs runtime packages once", async () => {
  const cwd = await project();
  const first = await run(process.execPath, [SCRIPT], { cwd });
  expect(first.stderr).toMatch(/^Installing what is missing to run .*\n(.*\n)*Installed in \d+ s\n$/);
  expect(await isThere(cwd, "needed")).toBe(true);
  expect(await isThere(cwd, "tool")).toBe(false);
  expect(await run(process.execPath, [SCRIPT], { cwd })).toEqual(QUIET);
});

test("the script adds development tools and keeps the lock file", async () => {
  const cwd = await project();
  const lock = await readFile(join(cwd, "package-lock.json"), "utf8");
  await run(process.execPath, [SCRIPT], { cwd });
  await writeFile(join(cwd, "node_modules/needed/in-use"), "");
  const second = await run(process.execPath, [SCRIPT, "--dev"], {
    cwd,
    env: { ...process.env, NODE_ENV: "production" },
  });
  expect(second.stderr).toContain("Installing what is missing to develop and test");
  expect(await isThere(cwd, "tool")).toBe(true);
  await access(join(cwd, "node_modules/needed/in-use"));
  expect(await readFile(join(cwd, "package-lock.json"), "utf8")).toBe(lock);
  for (const flags of [["--dev"], []]) expect(await run(process.execPath, [SCRIPT, ...flags], { cwd })).toEqual(QUIET);
});

test("the script installs a folder with its own lock file once", async () => {
  const folder = await project();
  const cwd = await mkdtemp(join(tmpdir(), "install-missing-in-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await cp(folder, join(cwd, "docs"), { recursive: true });
  const args = [SOURCE, "--in", "docs"];
  expect((await run(process.execPath, args, { cwd })).stderr).toContain("Installing what is missing in docs");
  expect(await isThere(join(cwd, "docs"), "needed")).toBe(true);
  expect(await run(process.execPath, args, { cwd })).toEqual(QUIET);
});

test("the script notices an outdated version", async () => {
  const cwd = await project();
  await run(process.execPath, [SCRIPT], { cwd });
  for (const file of ["package-lock.json", "needed/package.json"]) {
    const text = await readFile(join(cwd, file), "utf8");
    const moved =
      file === "package-lock.json"
        ? text.replace('"needed":{"version":"1.0.0"}', '"needed":{"version":"1.1.0"}')
        : text.replace("1.0.0", "1.1.0");
    expect(moved).not.toBe(text);
    await writeFile(join(cwd, file), moved);
  }
  expect((await run(process.execPath, [SCRIPT], { cwd })).stderr).toContain("Installing what is missing");
  expect(await run(process.execPath, [SCRIPT], { cwd })).toEqual(QUIET);
});

test("a failed install ends the script", async () => {
  const cwd = await project();
  await rm(join(cwd, "package-lock.json"));
  await expect(run(process.execPath, [SCRIPT], { cwd })).rejects.toMatchObject({ code: 1 });
});
