import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { isAlive } from "./is-alive.ts";
import { describeWithPrograms } from "./programs.ts";
import {
  environmentWith,
  type Pair,
  packedSimulator,
  programsOf,
  runIn,
  temporaryProgramFolder,
} from "./simulator-package.ts";
import { terminalEnvironment } from "./terminal-environment.ts";

const LIBRARY = `
  import { renameSync, writeFileSync } from "node:fs";
  import { start } from "prtg-simulator";
  const { url } = await start({ sensors: 20 });
  writeFileSync(process.env.READY_FILE + ".tmp", JSON.stringify({ url, pid: process.pid }));
  renameSync(process.env.READY_FILE + ".tmp", process.env.READY_FILE);
`;
const FLAGS = ["--listen-address=127.0.0.1:0", "--sensors=20"];

export type Way = "npx" | "command" | "library";
export type Signal = "SIGTERM" | "SIGINT" | "SIGKILL";
export type End = Signal | "end of input";

export interface Case {
  readonly pair: Pair;
  readonly way: Way;
  readonly end: End;
}

export interface SignalCase extends Case {
  readonly end: Signal;
}

export const PAIRS: readonly Pair[] = [
  { node: "20.20.2", npm: "10.8.2" },
  { node: "22.23.3", npm: "10.9.4" },
  { node: "24.21.0", npm: "11.6.2" },
  { node: "26.10.0", npm: "12.2.0" },
];

/** The command runs on the Node.js that its user installed beside it. */
export const OLD = PAIRS.slice(0, 1);

/** The package in a folder of a user, with Node.js beside it. Only an older Node.js needs that one. */
async function install(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "simulator-process-"));
  writeFileSync(path.join(folder, "package.json"), "{}\n");
  const archive = await packedSimulator();
  const command = ["npm", "install", "--no-audit", "--no-fund", archive];
  const { code, stderr } = await runIn(folder, terminalEnvironment(), command);
  if (code !== 0) throw new Error(`npm install ended with ${code}: ${stderr}`);
  const name = `node-linux-${process.arch}`;
  const node = createRequire(import.meta.url).resolve(`${name}/package.json`);
  symlinkSync(path.dirname(node), path.join(folder, "node_modules", name));
  return folder;
}

function commandOf(way: Way, end: End): readonly [string, ...string[]] {
  const flags = [...FLAGS, ...(end === "end of input" ? ["--exit-with-stdin"] : [])];
  if (way === "npx") return ["npx", "--no-install", "prtg-simulator", ...flags];
  if (way === "command") return ["node_modules/.bin/prtg-simulator", ...flags];
  return ["node", "--input-type=module", "--eval", LIBRARY];
}

/** Ids of processes with this text in their command line. */
function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(text))
    .map(Number);
}

function commandLineOf(process: string): string {
  try {
    return readFileSync(`/proc/${process}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function spawnSimulator(folder: string, { pair, way, end }: Case) {
  const programs = temporaryProgramFolder(pair);
  const file = path.join(programs, "ready.json");
  const [program, ...args] = commandOf(way, end);
  const child = spawn(program, way === "library" ? args : [...args, `--ready-file=${file}`], {
    cwd: folder,
    stdio: [end === "end of input" ? "pipe" : "ignore", "ignore", "pipe"],
    detached: true,
    // npx looks for the program there, and has no other Node.js.
    env: { ...environmentWith(programs), READY_FILE: file },
  });
  return { child, file };
}

/** Resolves when the simulator listens. */
async function startSimulator(folder: string, one: Case) {
  const { child, file } = spawnSimulator(folder, one);
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  await expect.poll(() => existsSync(file) || errors, { timeout: 60_000 }).toBe(true);
  const { pid, url } = JSON.parse(readFileSync(file, "utf8")) as { readonly pid: number; readonly url: string };
  const launcher = child.pid ?? 0;
  onTestFinished(() => {
    for (const id of [launcher, pid].filter(isAlive)) process.kill(id, "SIGKILL");
  });
  return { launcher, stdin: child.stdin, pid, url };
}

/** The package in a folder that the tests of this block share. */
function installed(): () => string {
  let folder = "";
  beforeAll(async () => {
    folder = await install();
    return () => rmSync(folder, { recursive: true, force: true });
  });
  return () => folder;
}

function named<One extends Case>(cases: readonly One[]) {
  return cases.map((one) => ({ ...one, node: one.pair.node }));
}

/** Each case leaves no process, and nothing that listens. */
export function leavesNoProcess(title: string, cases: readonly Case[]): void {
  describeWithPrograms(programsFor(cases), title, () => {
    const folder = installed();

    test.each(named(cases))("$way leaves no process after $end, on Node.js $node", async (one) => {
      const { launcher, stdin, pid, url } = await startSimulator(folder(), one);
      const alive = () => [launcher, pid].filter(isAlive);
      expect(alive()).toEqual([launcher, pid]);
      // Only an old Node.js and npx are another process than the simulator.
      const isLaunched = one.way === "npx" || OLD.includes(one.pair);
      expect(launcher !== pid).toBe(isLaunched);
      expect((await fetch(`${url}/api/v2/health`)).status).toBe(204);
      // dash catches a SIGINT that npx forwards, and waits. A terminal sends it to the whole group.
      if (one.end === "end of input") stdin?.end();
      else process.kill(one.end === "SIGINT" && one.way === "npx" ? -launcher : launcher, one.end);
      await expect.poll(alive, { timeout: 10_000 }).toEqual([]);
      await expect(fetch(`${url}/api/v2/health`)).rejects.toThrow();
    });
  });
}

/** Each case leaves no process if its launcher ends as soon as that has started another one. */
export function leavesNoProcessEarly(title: string, cases: readonly SignalCase[]): void {
  describeWithPrograms(programsFor(cases), title, () => {
    const folder = installed();

    test.each(named(cases))("$way leaves no process after an early $end, on Node.js $node", async (one) => {
      const { child, file } = spawnSimulator(folder(), one);
      await expect.poll(() => processesWith(file).length, { interval: 5, timeout: 60_000 }).toBeGreaterThan(1);
      child.kill(one.end);
      await expect.poll(() => processesWith(file), { timeout: 10_000 }).toEqual([]);
    });
  });
}

function programsFor(cases: readonly Case[]) {
  return [...new Set(cases.map(({ pair }) => pair))].flatMap(programsOf);
}
