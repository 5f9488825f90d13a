import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { findProgram } from "./support/program-paths.ts";
import { describeWithPrograms } from "./support/programs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
type Command = readonly [program: string, ...args: string[]];
const COMMANDS: Readonly<Record<string, Command>> = {
  npx: ["npx", "--no-install", "prtg-simulator"],
  "prtg-simulator": ["node", "packages/simulator/bin/prtg-simulator.js"],
  "prtg-exporter simulate": ["node", "bin/prtg-exporter.js", "simulate"],
};
const SIGNALS = ["SIGTERM", "SIGINT", "SIGKILL"] as const;

/** A folder of programs with this Node.js and npm. */
function programFolder(node: string, npm: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "simulator-process-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(findProgram(`node-${node}`) ?? "", path.join(folder, "node"));
  const script = readFileSync(findProgram(`npm-${npm}`) ?? "", "utf8");
  const [, cli = ""] = /"([^"]*npm-cli\.js)"/.exec(script) ?? [];
  symlinkSync(cli.replace("npm-cli.js", "npx-cli.js"), path.join(folder, "npx"));
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the simulator listens. */
async function start(node: string, npm: string, [program, ...args]: Command, input: "ignore" | "pipe" = "ignore") {
  const folder = programFolder(node, npm);
  const file = path.join(folder, "ready.json");
  const flags = ["--listen-address=127.0.0.1:0", "--sensors=20", `--ready-file=${file}`];
  if (input === "pipe") flags.push("--exit-with-stdin");
  const child = spawn(program, [...args, ...flags], {
    cwd: ROOT,
    stdio: [input, "ignore", "ignore"],
    detached: true,
    env: {
      PATH: `${folder}:/usr/bin:/bin`,
      HOME: folder,
      npm_config_cache: folder,
      npm_config_update_notifier: "false",
    },
  });
  await expect.poll(() => existsSync(file)).toBe(true);
  const { pid } = JSON.parse(readFileSync(file, "utf8")) as { readonly pid: number };
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  const { pid: launcher = 0, stdin } = child;
  const alive = () => [launcher, pid].filter(isAlive);
  expect(alive()).toEqual([launcher, pid]);
  return { launcher, stdin, alive };
}

for (const [node, npm] of [
  ["20.20.2", "10.8.2"],
  ["22.23.3", "10.9.4"],
  ["24.21.0", "11.6.2"],
  ["26.10.0", "12.2.0"],
] as const) {
  describeWithPrograms([`node-${node}`, `npm-${npm}`], `with Node.js ${node} and npm ${npm}`, () => {
    const commands = Object.entries(COMMANDS).map(([name, command]) => ({ name, command }));

    test.each(commands.flatMap((command) => SIGNALS.map((signal) => ({ ...command, signal }))))(
      "$name leaves no process after $signal",
      async ({ name, command, signal }) => {
        const { launcher, alive } = await start(node, npm, command);
        // dash catches a SIGINT that npx forwards, and waits. A terminal sends it to the whole group.
        process.kill(signal === "SIGINT" && name === "npx" ? -launcher : launcher, signal);
        await expect.poll(alive, { timeout: 10_000 }).toEqual([]);
      },
    );

    test.each(commands)("$name leaves no process after the end of its standard input", async ({ command }) => {
      const { stdin, alive } = await start(node, npm, command, "pipe");
      stdin?.end();
      await expect.poll(alive, { timeout: 10_000 }).toEqual([]);
    });
  });
}
