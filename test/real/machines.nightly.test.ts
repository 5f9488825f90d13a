import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { type BackgroundProgram, startInBackground } from "./support/background-program.ts";
import { findProgram } from "./support/program-paths.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";
import { terminalEnvironment } from "./support/terminal-environment.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAIRS = [
  ...readFileSync(new URL("programs/machines.txt", import.meta.url), "utf8").matchAll(/^([\d.]+) (\S+)$/gm),
].map(([, node = "", npm = ""]) => ({ node, npm }));
const READY = /first poll of 2600 simulated sensors is complete .*\bOpen (http:\/\/127\.0\.0\.1:\d+)\s/s;
/** A minute on a quiet machine. */
const LIMIT_MS = 280_000;
const TEST_LIMIT_MS = 600_000;
const exec = promisify(execFile);

const CACHE = mkdtempSync(path.join(tmpdir(), "machines-npm-"));
afterAll(() => rmSync(CACHE, { recursive: true, force: true, maxRetries: 5 }));

interface Machine {
  readonly clone: string;
  readonly env: NodeJS.ProcessEnv & { readonly PATH: string };
}

/** A clone with this Node.js and npm (`-`: none), removed after the test. */
async function machine({ node, npm }: { readonly node: string; readonly npm: string }): Promise<Machine> {
  const folder = mkdtempSync(path.join(tmpdir(), "machine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const clone = path.join(folder, "clone");
  await exec("git", ["clone", "--quiet", ROOT, clone]);
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(findProgram(`node-${node}`) ?? "", path.join(bin, "node"));
  if (npm !== "-") symlinkSync(findProgram(`npm-${npm}`) ?? "", path.join(bin, "npm"));
  const env = { ...terminalEnvironment(), PATH: `${bin}:/usr/bin:/bin`, npm_config_cache: CACHE, NO_COLOR: "1" };
  return { clone, env };
}

function start({ clone, env }: Machine, args: readonly string[]) {
  const program = startInBackground("env", ["-i", ...assignments(env), "npm", ...args], { cwd: clone, ownGroup: true });
  onTestFinished(() => program.stop("SIGKILL"));
  return program;
}

/** Rejects with the full output. */
function wait(program: BackgroundProgram, pattern: RegExp): Promise<RegExpExecArray> {
  return program.waitForLog(pattern, LIMIT_MS).catch((error: unknown) => {
    throw new Error(program.log(), { cause: error });
  });
}

function run({ clone, env }: Machine, [program = "", ...args]: readonly string[]) {
  return runProgram("env", ["-i", "-C", clone, ...assignments(env), program, ...args], "", LIMIT_MS);
}

function assignments(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

for (const pair of PAIRS.filter(({ npm }) => npm !== "-")) {
  describeWithPrograms(
    [`node-${pair.node}`, `npm-${pair.npm}`],
    `with Node.js ${pair.node} and npm ${pair.npm}`,
    () => {
      test("npm run demo and npm test each work in a fresh clone", { timeout: TEST_LIMIT_MS }, async () => {
        const here = await machine(pair);
        expect((await run(here, ["npm", "--version"])).stdout.trim()).toBe(pair.npm);
        const demo = start(here, ["run", "demo", "--", "--web.listen-address", "127.0.0.1:0"]);
        const [, url] = await wait(demo, READY);
        expect(demo.log()).toMatch(/Installing what is missing to run .* about a minute\n(.*\n)*Installed in \d+ s\n/);
        await expectComplete(url ?? "");
        await demo.stop();

        const tests = start(here, ["test"]);
        await wait(tests, /Installing what is missing to develop and test .*Installed in \d+ s\n.*Checked \d+ files/s);
        await tests.stop("SIGKILL");
        expect(existsSync(path.join(here.clone, "node_modules/vitest/vitest.mjs"))).toBe(true);
        // npm versions write different lock files, but must not change ours.
        expect((await exec("git", ["-C", here.clone, "status", "--porcelain"])).stdout).toBe("");
      });
    },
  );
}

const NEEDED = manifest.engines.node.replace(">=", "");

describeWithPrograms(["node-20.20.2", "npm-10.8.2"], "machine without the Node.js of the package", () => {
  test("an older one prints the requirement and exits with 1", { timeout: TEST_LIMIT_MS }, async () => {
    const here = await machine({ node: "20.20.2", npm: "10.8.2" });
    expect((await run(here, ["npm", "ci", "--omit=dev", "--omit=optional"])).code).toBe(0);
    const line = new RegExp(
      `^prtg-exporter needs Node\\.js ${NEEDED} or newer, found 20\\.20\\.2 \\(/.*\\); .*--include=optional$`,
      "m",
    );
    const demo = await run(here, ["npm", "run", "demo"]);
    expect({ code: demo.code, line: line.test(demo.stderr) }).toEqual({ code: 1, line: true });
    const check = await run(here, ["node", "bin/prtg-exporter.js", "check"]);
    expect({ code: check.code, stdout: check.stdout }).toEqual({ code: 1, stdout: "" });
    expect(check.stderr.trimEnd()).toMatch(new RegExp(line.source));
    expect(check.stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describeWithPrograms(["node-12.22.12"], "machine with Node.js 12", () => {
  test("the launcher runs and prints the requirement", async () => {
    const here = await machine({ node: "12.22.12", npm: "-" });
    for (const script of ["bin/prtg-exporter.js", "bin/node.js"]) {
      const { code, stderr } = await run(here, ["node", script, "check"]);
      expect({ code, lines: stderr.trimEnd().split("\n").length }, stderr).toEqual({ code: 1, lines: 1 });
      expect(stderr).toContain(`needs Node.js ${NEEDED} or newer, found 12.22.12`);
    }
  });
});

async function expectComplete(url: string): Promise<void> {
  const answer = await fetch(`${url}/metrics`, { headers: { accept: "application/openmetrics-text; version=1.0.0" } });
  const page = await answer.text();
  expect(page.endsWith("# EOF\n")).toBe(true);
  expect(page).toMatch(/^prtg_up\{server="demo"\} 1$/m);
  // Of 12,000. At some times, more are paused or never measured.
  expect(page.match(/^prtg_channel_value\{/gm)?.length).toBeGreaterThan(10_000);
  expect(page.match(/^prtg_sensor_info\{/gm)).toHaveLength(2_600);
  expect((await fetch(url)).status).toBe(200);
}
