/**
 * `npm test [-- ARGUMENT...]`: lint, types and prose beside the unit tests. Arguments are for Vitest. The tests of the
 * simulator run in CI, and if its files differ from those of `origin/main`.
 */
import { spawn, spawnSync } from "node:child_process";

/** npm sets `npm_execpath`, and its own `npm` is no program on Windows. */
const NODE = process.execPath;
const VITEST = "node_modules/vitest/vitest.mjs";
const SIMULATOR = "packages/simulator";

/** Without git or another branch, nothing shows that the simulator is unchanged. */
function simulatorChanged(): boolean {
  const git = (...args: string[]) => spawnSync("git", args, { encoding: "utf8" });
  const uncommitted = git("status", "--porcelain", "--", SIMULATOR);
  if (uncommitted.status !== 0 || uncommitted.stdout !== "") return true;
  return git("diff", "--quiet", "origin/main...HEAD", "--", SIMULATOR).status !== 0;
}

/** Resolves with the exit code. Prints the output at once, or at the end. */
function run(command: string, args: readonly string[], isLive: boolean): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: isLive ? "inherit" : ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => void chunks.push(chunk));
    child.on("close", (code) => {
      if (!isLive) process.stdout.write(Buffer.concat(chunks));
      resolve(code ?? 1);
    });
  });
}

const args = process.argv.slice(2);
const wantsSimulator =
  process.env.CI !== undefined || args.some((arg) => arg.startsWith(SIMULATOR)) || simulatorChanged();
const projects = ["unit", ...(wantsSimulator ? ["simulator"] : [])].flatMap((name) => ["--project", name]);
const codes = await Promise.all([
  run(NODE, [process.env.npm_execpath ?? "", "run", "--silent", "lint"], false),
  run(NODE, [VITEST, "run", ...projects, ...args], true),
]);
process.exitCode = Math.max(...codes);
