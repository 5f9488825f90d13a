/**
 * `npm version 1.2.3` runs it after it has changed package.json and its lock file: brings the version to all other files, and
 * keeps the contract of the release. CONTRIBUTING.md says what is left to do by hand.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { manifest, ROOT } from "./package/build.ts";
import { CHART_FILE, editsFor, nextChartVersion } from "./version/edits.ts";

const at = (file: string) => path.join(ROOT, file);
const read = (file: string) => readFileSync(at(file), "utf8");

const date = new Date().toISOString().slice(0, 10);
const edits = editsFor({ version: manifest.version, date, chartVersion: nextChartVersion(read(CHART_FILE)) });
// All are made before the first is written: a file without its place changes nothing.
const changed = edits.map(({ file, change }) => ({ file, text: change(read(file)) }));
for (const { file, text } of changed) {
  writeFileSync(at(file), text);
  process.stdout.write(`wrote ${file}\n`);
}
execFileSync(process.execPath, [at("scripts/generate.ts")], { stdio: "inherit" });
copyFileSync(at("api/contract.json"), at("api/contract-released.json"));
process.stdout.write("wrote api/contract-released.json\n");
