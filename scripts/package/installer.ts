import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Build, manifest, ROOT, run } from "./build.ts";
import { filesFragment } from "./installer-files.ts";
import { stampSummary } from "./summary-information.ts";
import { PROGRAM_PATH } from "./tools.ts";
import { uuidOf } from "./uuid.ts";

/** Never changes: Windows recognises versions of the same product by it. */
export const UPGRADE_CODE = "0D6A31C2-7B0C-4C38-9B1E-5D0E4F7A9C63";
const SOURCES = `${ROOT}deploy/packages/msi`;
const NO_CODE = "00000000-0000-0000-0000-000000000000";

export interface Installer {
  readonly file: string;
  /** Without braces. Windows lists the installed version under it. */
  readonly productCode: string;
}

/** Needs wixl and msitools. @param tree as in the zip */
export function writeInstaller(
  { version, time, work, out }: Pick<Build, "version" | "time" | "work" | "out">,
  tree: string,
): Installer {
  const file = path.join(out, `${manifest.name}-${version}-windows-x64.msi`);
  const fragment = path.join(work, "files.wxs");
  writeFileSync(fragment, filesFragment(tree));
  const productCode = uuidOf(`${manifest.name} product ${version}`).toUpperCase();
  const variables = {
    ProductCode: productCode,
    UpgradeCode: UPGRADE_CODE,
    Version: windowsVersion(version),
    FullVersion: version,
  };
  const defines = Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`);
  runTool("wixl", ["--arch=x64", ...defines, `--output=${file}`, `${SOURCES}/prtg-exporter.wxs`, fragment], tree);
  runTool("msibuild", [file, "-q", ...statements(file, variables)], work);
  stamp(file, time);
  return { file, productCode };
}

/** One statement a line: msibuild splits at semicolons, which permissions contain. Newer wixl creates some of the tables. */
function statements(file: string, { UpgradeCode, Version }: { UpgradeCode: string; Version: string }): string[] {
  const tables = new Set(runTool("msiinfo", ["tables", file], ROOT).split("\n"));
  const text = readFileSync(`${SOURCES}/tables.sql`, "utf8");
  const lines = text.replaceAll("@UPGRADE_CODE@", UpgradeCode).replaceAll("@VERSION@", Version).split("\n");
  return lines.filter((line) => {
    const [, created] = /^CREATE TABLE `(\w+)`/.exec(line) ?? [];
    return /^[A-Z]/.test(line) && (created === undefined || !tables.has(created));
  });
}

/** Same content, same package code. */
function stamp(file: string, time: Date): void {
  const msi = readFileSync(file);
  stampSummary(msi, NO_CODE, time);
  stampSummary(msi, uuidOf(msi), time);
  writeFileSync(file, msi);
}

/** Fails on warnings: wixl ignores attributes that it does not know. */
function runTool(program: string, args: readonly string[], folder: string): string {
  return run(program, args, folder, { G_DEBUG: "fatal-warnings", PATH: PROGRAM_PATH });
}

/** Windows Installer compares three numbers. @throws Error if they are too large */
export function windowsVersion(version: string): string {
  const [numbers = ""] = version.split(/[-+]/);
  const [major = 0, minor = 0, patch = 0] = numbers.split(".").map(Number);
  if (major > 255 || minor > 255 || patch > 65_535) throw new Error(`Windows has no version ${version}`);
  return numbers;
}
