import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import manifest from "../../../package.json" with { type: "json" };
import { runProgram } from "./run-program.ts";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const VERSION = manifest.version;

/** Two npm installs, a compilation, a gigabyte to compress. */
export const BUILD_LIMIT_MS = 900_000;

const FOLDER = path.join(tmpdir(), "prtg-exporter-packages");

const PACKAGED =
  /^((src|bin|packages|config|deploy\/(alertmanager|grafana|packages|prometheus)|docs\/runbooks|scripts\/package)\/|docs\/[^/]+\.md|scripts\/(build|bill-of-materials|install-missing)|[^/]+$)/;

export function sourceFiles(): string[] {
  const { stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return stdout.split("\0").filter((name) => PACKAGED.test(name) && existsSync(ROOT + name));
}

export function builtPackages(): Promise<string> {
  return builtOnce(FOLDER, (out) => packageTo(out, ROOT));
}

/** Built once for all test files, and after source changes. @returns the folder, below `parent` */
export async function builtOnce(parent: string, build: (out: string) => Promise<void>): Promise<string> {
  const hash = createHash("sha256").update(spawnSync("git", ["rev-parse", "HEAD"], { cwd: ROOT }).stdout);
  for (const name of sourceFiles()) hash.update(name).update(readFileSync(ROOT + name));
  const folder = path.join(parent, hash.digest("hex").slice(0, 16));
  // Test files run in parallel processes.
  const claim = await claimAlone(parent);
  try {
    if (!existsSync(folder)) {
      rmSync(parent, { recursive: true, force: true });
      mkdirSync(parent, { recursive: true });
      await build(`${folder}.partial`);
      renameSync(`${folder}.partial`, folder);
    }
  } finally {
    claim.close();
  }
  return folder;
}

/** The system frees a dead process's abstract socket. */
async function claimAlone(name: string): Promise<Server> {
  for (;;) {
    const server = createServer();
    const isOurs = new Promise<boolean>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        error.code === "EADDRINUSE" ? resolve(false) : reject(error),
      );
      server.listen(`\0${name}`, () => resolve(true));
    });
    if (await isOurs) return server;
    await sleep(200);
  }
}

/** @throws Error with the output if the exit code is not 0 */
export async function packageTo(out: string, sources: string, args: readonly string[] = [], env = process.env) {
  // A different umask must not change rights or times.
  const command = 'umask 077 && exec node bin/node.js scripts/package/main.ts "$@"';
  const shell = ["-c", `cd "$0" && ${command}`, sources, "--out", out, ...args];
  const { code, stdout, stderr } = await runProgram("sh", shell, "", BUILD_LIMIT_MS, env);
  if (code !== 0) throw new Error(`packaging ended with ${code}: ${stdout}${stderr}`);
}

export function fileEnding(folder: string, ending: string): string {
  const [name, ...others] = readdirSync(folder).filter((file) => file.endsWith(ending));
  if (name === undefined || others.length > 0) throw new Error(`not one file *${ending} in ${folder}`);
  return path.join(folder, name);
}

/** A package with another version and the script's changes to its content. */
export async function repackDeb(deb: string, out: string, version: string, script = "true"): Promise<string> {
  const folder = `${out}.folder`;
  const commands = [
    `dpkg-deb --raw-extract '${deb}' '${folder}'`,
    `sed -i 's/^Version: .*/Version: ${version}/' '${folder}/DEBIAN/control'`,
    `(cd '${folder}' && ${script})`,
    `dpkg-deb --root-owner-group --build -Znone '${folder}' '${out}'`,
  ];
  const { code, stderr } = await runProgram("sh", ["-c", commands.join(" && ")], "");
  if (code !== 0) throw new Error(stderr);
  rmSync(folder, { recursive: true });
  return out;
}

/** Creates missing folders. */
export function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
