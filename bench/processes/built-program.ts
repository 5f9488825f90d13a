import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Next to `dist/`, as in the package and the image. */
const BESIDE = ["package.json", "packages/simulator/api", "config"];

let built: string | undefined;

/** Built once a run as for a release. @throws Error if the build fails */
export function builtMain(): string {
  built ??= build();
  return path.join(built, "dist/main.js");
}

/** JavaScript, because type stripping would add 18 MB of memory. */
export async function builtProbe(): Promise<string> {
  const file = path.join(path.dirname(path.dirname(builtMain())), "probe.mjs");
  if (!existsSync(file)) {
    const bundle = await rolldown({ input: path.join(ROOT, "bench/processes/probe.ts"), platform: "node" });
    await bundle.write({ file, format: "es" });
    await bundle.close();
  }
  return file;
}

function build(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-bench-build-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const args = [path.join(ROOT, "scripts/build.ts"), path.join(folder, "dist")];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`the build ended with ${status}:\n${stderr}`);
  for (const name of BESIDE) cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  return folder;
}
