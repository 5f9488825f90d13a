import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Build, manifest, ROOT } from "./build.ts";
import { RUNTIME, type Runtime } from "./node-runtime.ts";
import { normalize } from "./trees.ts";

/** For archive, .deb and .rpm. @returns its folder, named like the archive */
export function linuxTree(build: Build, application: string, runtime: Runtime, target: string): string {
  const tree = combine(build, application, runtime, target);
  mkdirSync(path.join(tree, "bin"));
  writeFileSync(path.join(tree, "bin/prtg-exporter"), fill(build, "linux/launcher.sh"));
  normalize(tree, build.time);
  return tree;
}

export function windowsTree(build: Build, application: string, runtime: Runtime, target: string): string {
  const tree = combine(build, application, runtime, target);
  for (const name of readdirSync(`${ROOT}deploy/packages/windows`)) {
    // Old editors and cmd.exe need CR LF.
    const text = fill(build, `windows/${name}`).replaceAll(/\r?\n/g, "\r\n");
    // schtasks.exe reads what Windows exports: UTF-16 with a byte order mark.
    writeFileSync(path.join(tree, name), name.endsWith(".xml") ? Buffer.from(`\uFEFF${text}`, "utf16le") : text);
  }
  normalize(tree, build.time);
  return tree;
}

function combine({ version, work }: Build, application: string, runtime: Runtime, target: string): string {
  const tree = path.join(work, `${manifest.name}-${version}-${target}`);
  cpSync(application, tree, { recursive: true });
  cpSync(runtime.folder, path.join(tree, RUNTIME), { recursive: true });
  return tree;
}

function fill({ revision }: Build, name: string): string {
  return readFileSync(`${ROOT}deploy/packages/${name}`, "utf8").replace("@REVISION@", revision);
}
