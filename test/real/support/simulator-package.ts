import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { builtOnce, fileEnding, ROOT } from "./built-packages.ts";
import { findProgram, type ProgramName } from "./program-paths.ts";
import { type ProgramResult, runProgram } from "./run-program.ts";
import { terminalEnvironment } from "./terminal-environment.ts";

/** In each clone, because another one has other sources. */
const PARENT = path.join(ROOT, "node_modules/.cache/simulator-package");
const LIMIT_MS = 240_000;

/** Path of the package that a release publishes. */
export async function packedSimulator(): Promise<string> {
  const folder = await builtOnce(PARENT, async (out) => {
    const command = ["node", "bin/node.js", "scripts/package/simulator.ts", "--out", out];
    const { code, stderr } = await runIn(ROOT, terminalEnvironment(), command);
    if (code !== 0) throw new Error(`scripts/package/simulator.ts ended with ${code}: ${stderr}`);
  });
  return fileEnding(folder, ".tgz");
}

/** Versions of Node.js and npm that belong together, from test/real/programs/machines.txt. */
export interface Pair {
  readonly node: string;
  readonly npm: string;
}

export function programsOf({ node, npm }: Pair): ProgramName[] {
  return [`node-${node}`, `npm-${npm}`];
}

/** A folder for PATH with `node`, `npm` and `npx`. The caller removes it. */
export function programFolder({ node, npm }: Pair): string {
  const folder = mkdtempSync(path.join(tmpdir(), "simulator-package-"));
  symlinkSync(findProgram(`node-${node}`) ?? "", path.join(folder, "node"));
  const script = readFileSync(findProgram(`npm-${npm}`) ?? "", "utf8");
  const [, cli = ""] = /"([^"]*npm-cli\.js)"/.exec(script) ?? [];
  symlinkSync(cli, path.join(folder, "npm"));
  symlinkSync(cli.replace("npm-cli.js", "npx-cli.js"), path.join(folder, "npx"));
  return folder;
}

/** Removed after the test. */
export function temporaryProgramFolder(pair: Pair): string {
  const folder = programFolder(pair);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Variables of a terminal with these programs. The cache of npm stays, so an install needs few requests. */
export function environmentWith(programs: string): NodeJS.ProcessEnv {
  const { HOME, NODE_EXTRA_CA_CERTS } = terminalEnvironment();
  const network = NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
  return { HOME, ...network, PATH: `${programs}:/usr/bin:/bin`, NO_COLOR: "1", npm_config_update_notifier: "false" };
}

export function runIn(folder: string, env: NodeJS.ProcessEnv, command: readonly string[]): Promise<ProgramResult> {
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return runProgram("env", ["-i", "-C", folder, ...assignments, ...command], "", LIMIT_MS);
}
