import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** With a final slash. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export const HOMEPAGE = "https://github.com/prtg-exporter/prtg-exporter";

const dependencies = z.record(z.string(), z.string());
const manifestShape = z.looseObject({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  files: z.array(z.string()),
  dependencies,
  optionalDependencies: dependencies,
});

const lockShape = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
      version: z.string().optional(),
      license: z.string().optional(),
      integrity: z.string().optional(),
      dependencies: dependencies.optional(),
      optionalDependencies: dependencies.optional(),
    }),
  ),
});

export interface Build {
  readonly version: string;
  /** With `-dirty` after changes. */
  readonly revision: string;
  /** Of the commit. Makes builds reproducible. */
  readonly time: Date;
  readonly work: string;
  readonly out: string;
}

export const manifest = manifestShape.parse(JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")));

/** By path (`node_modules/zod`). */
export function lockedPackages() {
  return lockShape.parse(JSON.parse(readFileSync(`${ROOT}package-lock.json`, "utf8"))).packages;
}

/** A source archive gets version and commit from the environment. */
export function describeSources(env: NodeJS.ProcessEnv): Pick<Build, "version" | "revision" | "time"> {
  const seconds = Number(env.SOURCE_DATE_EPOCH ?? run("git", ["log", "-1", "--format=%ct"], ROOT));
  if (!Number.isSafeInteger(seconds)) throw new Error(`SOURCE_DATE_EPOCH is to be a number of seconds`);
  const revision =
    env.PRTG_EXPORTER_REVISION ??
    run("git", ["describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"], ROOT).trim();
  return { version: manifest.version, revision, time: new Date(seconds * 1000) };
}

/** @throws Error with the output if the exit code is not 0 */
export function run(program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...env },
  });
  if (error !== undefined) throw new Error(`${program} cannot be run: ${error.message}`, { cause: error });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
