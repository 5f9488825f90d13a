import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { COMMAND_LINE, FLAGS, OPTIONS, VARIABLES, withSettings } from "../../bin/node-settings.js";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { launcherFolder, TOO_NEW } from "./launcher-folder.ts";

const run = promisify(execFile);
const ROOT = new URL("../../", import.meta.url);
const ABOUT = `console.log(JSON.stringify({
  pid: process.pid, options: process.env.NODE_OPTIONS, arenas: process.env.MALLOC_ARENA_MAX, threads: process.env.UV_THREADPOOL_SIZE,
  args: process.argv.slice(2), flags: process.execArgv,
}));`;

async function about(folder: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const running = run(process.execPath, [join(folder, "bin/prtg-exporter.js"), ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  const { stdout, stderr } = await running;
  expect(stderr).toBe("");
  return { launcher: running.child.pid, ...JSON.parse(stdout) };
}

describe("launcher", () => {
  test("becomes the exporter with its settings", async () => {
    const folder = launcherFolder({ range: ">=24", main: ABOUT });
    const seen = await about(folder, ["serve", "--config.file", "x y"]);
    expect(seen).toMatchObject({
      options: OPTIONS.join(" "),
      flags: COMMAND_LINE,
      ...{ arenas: "2", threads: "64", args: ["serve", "--config.file", "x y"] },
    });
    expect(seen.pid).toBe(seen.launcher);
  });

  test("passes them to the Node.js of the package on an older one", async () => {
    const folder = launcherFolder({ range: TOO_NEW, bundled: "999.0.0", main: ABOUT });
    expect(await about(folder)).toMatchObject({ options: OPTIONS.join(" "), flags: COMMAND_LINE, threads: "64" });
  });

  test("keeps settings of the user", async () => {
    const folder = launcherFolder({ range: ">=24", main: ABOUT });
    const given = { NODE_OPTIONS: "--max_semi_space_size=32", MALLOC_ARENA_MAX: "7" };
    // Node.js uses the last one.
    expect(await about(folder, [], given)).toMatchObject({
      options: `${OPTIONS.join(" ")} --max_semi_space_size=32`,
      arenas: "7",
    });
  });
});

describe("same settings", () => {
  test("are in the image", () => {
    const dockerfile = readFileSync(new URL("Dockerfile", ROOT), "utf8");
    const [, entrypoint = "[]"] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
    expect(JSON.parse(entrypoint)).toEqual(["/usr/local/bin/node", ...FLAGS, "/opt/prtg-exporter/dist/main.js"]);
    for (const [name, value] of Object.entries(VARIABLES)) expect(dockerfile).toContain(` ${name}=${value} `);
  });

  test("are in the packages for Linux", () => {
    const launcher = readFileSync(new URL("deploy/packages/linux/launcher.sh", ROOT), "utf8");
    expect(launcher).toContain(`NODE_OPTIONS="${OPTIONS.join(" ")}\${NODE_OPTIONS:+ $NODE_OPTIONS}"`);
    expect(launcher).toContain(`/node" ${COMMAND_LINE.join(" ")} "`);
    for (const [name, value] of Object.entries(VARIABLES)) expect(launcher).toContain(`${name}="\${${name}-${value}}"`);
  });

  test("are in the package for Windows, without those of glibc", () => {
    const launcher = readFileSync(new URL("deploy/packages/windows/prtg-exporter.cmd", ROOT), "utf8");
    expect(launcher).toContain(`"NODE_OPTIONS=${OPTIONS.join(" ")} %NODE_OPTIONS%"`);
    expect(launcher).toContain(`node.exe" ${COMMAND_LINE.join(" ")} "`);
    expect(launcher).toContain(`set "UV_THREADPOOL_SIZE=${VARIABLES.UV_THREADPOOL_SIZE}"`);
  });
});

test("a signal does not open the debugger with them", async () => {
  const program = `
    import { url } from "node:inspector";
    process.kill(process.pid, "SIGUSR1");
    // The thread that takes the signal would have the main one open the debugger.
    await new Promise((resolve) => setTimeout(resolve, 300));
    console.log(String(url()));
  `;
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "--eval", program], {
    env: withSettings({ PATH: process.env.PATH }),
  });
  expect(stderr).toBe("");
  expect(stdout.trim()).toBe("undefined");
});

test("reports contain no secret, for any command", async () => {
  const folder = temporaryFolder({});
  const main = fileURLToPath(new URL("src/main.ts", ROOT));
  const preload = `data:text/javascript,${encodeURIComponent("process.on('exit', () => process.report.writeReport('report.json'))")}`;
  await run(process.execPath, ["--import", preload, main, "--version"], {
    cwd: folder,
    env: { PATH: process.env.PATH, PRTG_API_KEY: "a-key-in-the-environment" },
  });
  const report = readFileSync(`${folder}/report.json`, "utf8");
  expect(JSON.parse(report).header.nodejsVersion).toBe(process.version);
  expect(report).not.toContain("a-key-in-the-environment");
});
