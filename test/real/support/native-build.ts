import { cp, lchown, mkdir, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildStep, DockerfilePlan, FileAction } from "./dockerfile-plan.ts";
import { runProgram } from "./run-program.ts";
import { terminalEnvironment } from "./terminal-environment.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const COMMAND_LIMIT_MS = 280_000;

/**
 * Does what BuildKit would do, step by step, with a folder for each file system: the very commands and copies, run on
 * this machine with its npm cache. Base images are stood in for: by nothing, and where Node.js is, by ours.
 * Resolves with the folder of the image's file system.
 * @throws Error for a step that fails, or that copies what is not there
 */
export async function buildNatively({ steps, context }: DockerfilePlan, workFolder: string): Promise<string> {
  const made = new Map<string, string>();
  const folderOf = (digest: string | undefined) => {
    const folder = made.get(digest ?? "");
    if (folder === undefined) throw new Error(`no step made ${digest}`);
    return folder;
  };
  let count = 0;
  const newFolder = async () => {
    const folder = path.join(workFolder, `step-${count++}`);
    await mkdir(folder, { recursive: true });
    return folder;
  };
  for (const step of steps) {
    const inputs = step.inputs.map(({ digest }) => folderOf(digest));
    const base = async (input: string | undefined) => {
      const folder = await newFolder();
      // Hard links for what is kept: a step that changes a file replaces it.
      if (input !== undefined) await copyTree(`${input}/.`, folder, ["--link"]);
      return folder;
    };
    if (step.source !== undefined) {
      made.set(step.digest, await sourceFolder(step.source.identifier, context, await newFolder()));
    } else if (step.file !== undefined) {
      made.set(step.digest, await runFileActions(step.file.actions, inputs, base));
    } else if (step.exec !== undefined) {
      made.set(step.digest, await runCommand(step.exec, await base(inputs[0])));
    } else {
      return folderOf(step.inputs[0]?.digest);
    }
  }
  throw new Error("no step names the result");
}

async function sourceFolder(identifier: string, context: readonly string[], folder: string): Promise<string> {
  if (identifier.startsWith("local://")) {
    for (const file of context) await cp(path.join(ROOT, file), path.join(folder, file));
  } else if (/\/node:/.test(identifier)) {
    await mkdir(path.join(folder, "usr/local/bin"), { recursive: true });
    await cp(process.execPath, path.join(folder, "usr/local/bin/node"));
  }
  return folder;
}

async function runFileActions(
  actions: readonly FileAction[],
  inputs: readonly string[],
  base: (input: string | undefined) => Promise<string>,
): Promise<string> {
  // Actions follow on one another in one file system; the inputs come before them in the numbering.
  const folders = [...inputs];
  let folder: string | undefined;
  for (const action of actions) {
    folder ??= await base(inputs[action.input]);
    folders.push(folder);
    if (action.mkdir !== undefined) await mkdir(path.join(folder, action.mkdir.path), { recursive: true });
    if (action.copy !== undefined) await copyFiles(action.copy, folders[action.secondaryInput] ?? "", folder);
  }
  if (folder === undefined) throw new Error("a step without actions");
  return folder;
}

async function copyFiles(action: NonNullable<FileAction["copy"]>, from: string, to: string): Promise<void> {
  const source = path.join(from, action.src);
  const isFolder = (await stat(source)).isDirectory();
  const target = path.join(to, action.dest, !isFolder && action.dest.endsWith("/") ? path.basename(source) : "");
  await mkdir(isFolder ? target : path.dirname(target), { recursive: true });
  await copyTree(isFolder ? `${source}/.` : source, target);
  // Only root may give files away.
  if (action.owner !== undefined && process.getuid?.() === 0) {
    const { user, group } = action.owner;
    for (const name of ["", ...(isFolder ? await readdir(target, { recursive: true }) : [])]) {
      await lchown(path.join(target, name), user.byID, group.byID);
    }
  }
}

async function copyTree(from: string, to: string, flags: readonly string[] = []): Promise<void> {
  const { code, stderr } = await runProgram("cp", ["--archive", ...flags, from, to], "");
  if (code !== 0) throw new Error(stderr);
}

async function runCommand(exec: NonNullable<BuildStep["exec"]>, folder: string): Promise<string> {
  const [shell = "", ...args] = exec.meta.args;
  const terminal = terminalEnvironment();
  // The cache that is mounted in a build is npm's own here.
  const env = {
    ...terminal,
    PATH: `${path.dirname(process.execPath)}:${terminal.PATH}`,
    npm_config_prefer_offline: "true",
  };
  const script = `cd "$0" && exec "$@"`;
  const command = ["-c", script, path.join(folder, exec.meta.cwd), shell, ...args];
  const { code, stdout, stderr } = await runProgram("/bin/sh", command, "", COMMAND_LIMIT_MS, env);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  return folder;
}
