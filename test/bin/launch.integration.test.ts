import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { COMMAND_LINE } from "../../bin/node-settings.js";
import { launcherFolder, PACKAGE, TOO_NEW } from "./launcher-folder.ts";

const ABOUT = `console.log(JSON.stringify({
  pid: process.pid, ppid: process.ppid, main: import.meta.main, args: process.argv.slice(2), flags: process.execArgv,
}));`;
const BUNDLED = { range: TOO_NEW, bundled: "999.0.0" };

/** In its own process group, as a process manager does. */
function start(
  folder: string,
  args: readonly string[] = [],
  { flags = [] as string[], script = "prtg-exporter.js" } = {},
) {
  const child = spawn(process.execPath, [...flags, join(folder, "bin", script), ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    errors += part;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stdout: text, stderr: errors }));
  return { child, ended };
}

async function about(...given: Parameters<typeof start>) {
  const { child, ended } = start(...given);
  const { stdout, stderr, code } = await ended;
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return { launcher: child.pid, ...JSON.parse(stdout) };
}

describe("launcher on a recent Node.js", () => {
  test("runs the program in the same process", async () => {
    const folder = launcherFolder({ range: ">=24", main: ABOUT });
    const seen = await about(folder, ["serve", "--x", "a b"], { flags: ["--no-warnings"] });
    expect(seen).toMatchObject({
      main: true,
      args: ["serve", "--x", "a b"],
      flags: [...COMMAND_LINE, "--no-warnings"],
    });
    expect(seen.pid).toBe(seen.launcher);
  });

  test("runs compiled code if the sources are missing", async () => {
    const folder = launcherFolder({ range: ">=24", main: ABOUT, mainFile: "dist/main.js" });
    expect(await about(folder)).toMatchObject({ main: true });
  });

  test("runs any script with node.js", async () => {
    const folder = launcherFolder({ range: ">=24", main: ABOUT });
    const seen = await about(folder, ["src/main.ts", "--watch"], { script: "node.js" });
    expect(seen).toMatchObject({ main: true, args: ["--watch"] });
    expect(seen.pid).toBe(seen.launcher);
  });

  test("prints the usage of node.js", async () => {
    const folder = launcherFolder({ range: ">=24", main: ABOUT });
    const { code, stderr } = await start(folder, [], { script: "node.js" }).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^usage: /);
  });
});

describe("launcher on an older Node.js", () => {
  test.each([
    [".", "beside it"],
    ["..", "hoisted"],
  ])("uses the package in %s (%s)", async (packagesIn) => {
    const folder = launcherFolder({ ...BUNDLED, packagesIn, main: ABOUT });
    const seen = await about(folder, ["serve", "a b"], { flags: ["--no-warnings"] });
    expect(seen).toMatchObject({ main: true, args: ["serve", "a b"], flags: [...COMMAND_LINE, "--no-warnings"] });
    expect(seen.ppid).toBe(seen.launcher);
  });

  test.each([
    ["no other exists", {}],
    ["the other one is too old, too", { bundled: "998.9.9" }],
  ])("prints the requirement in one line when %s", async (_, bundled) => {
    const { code, stdout, stderr } = await start(launcherFolder({ range: TOO_NEW, ...bundled, main: ABOUT })).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(`needs Node.js 999 or newer, found ${process.versions.node} (${process.execPath})`);
    expect(stderr).toContain(PACKAGE);
  });

  test("names the command that installs an optional peer dependency", async () => {
    const folder = launcherFolder({ range: TOO_NEW, dependency: "peerDependencies", main: ABOUT });
    const { code, stderr } = await start(folder).ended;
    expect({ code, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 1, lines: 1 });
    expect(stderr.trimEnd()).toMatch(
      new RegExp(`needs Node\\.js 999 or newer, found .*: npm install prtg-exporter ${PACKAGE}@24$`),
    );
  });

  test("returns the program's exit code", async () => {
    const folder = launcherFolder({ ...BUNDLED, main: "process.exitCode = 141;" });
    expect(await start(folder).ended).toMatchObject({ code: 141, signal: null });
  });

  test("ends with the program's signal", async () => {
    const folder = launcherFolder({ ...BUNDLED, main: 'process.kill(process.pid, "SIGKILL");' });
    expect(await start(folder).ended).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR2"] as const)("passes %s on", async (signal) => {
    const main = `
      process.on("${signal}", () => { console.log("got it"); process.exit(7); });
      setInterval(() => {}, 1_000_000);
      console.log("ready");`;
    const { child, ended } = start(launcherFolder({ ...BUNDLED, main }));
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 7, stdout: "ready\ngot it\n" });
  });

  test("stops the exporter when it dies", async () => {
    const launched = fileURLToPath(new URL("../../packages/simulator/src/command/launched.ts", import.meta.url));
    const main = `
      import { stopWithLauncher } from ${JSON.stringify(launched)};
      process.on("SIGTERM", () => { console.log("stopped"); process.exit(); });
      stopWithLauncher();
      setInterval(() => {}, 1_000_000);
      console.log("ready");`;
    const { child, ended } = start(launcherFolder({ ...BUNDLED, main }));
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    // The exporter shares our pipe: resolves after both end.
    expect(await ended).toMatchObject({ signal: "SIGKILL", stdout: "ready\nstopped\n" });
  });
});
