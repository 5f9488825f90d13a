import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);

function filesIn(folder: string): Map<string, string> {
  const paths = globSync("**/*.{txt,om,json,html,out,err}", { cwd: folder }).toSorted();
  return new Map(paths.map((path) => [path, readFileSync(`${folder}/${path}`, "utf8")]));
}

test("two runs of one checkout give the same capture, which permits comparing checkouts", async () => {
  const outputs = [`${temporaryFolder({})}/one`, `${temporaryFolder({})}/other`];
  const capture = (output: string) => run(process.execPath, ["scripts/capture.ts", "--short", "--output", output]);
  await Promise.all(outputs.map(capture));
  const [one = new Map<string, string>(), other = new Map<string, string>()] = outputs.map(filesIn);

  expect([...one.keys()]).toEqual([...other.keys()]);
  for (const [path, text] of one) expect(other.get(path), path).toBe(text);
  // The run includes polls, a push, a reload and history.
  expect(one.get("pages/03-changed-world/metrics.om")).toContain('sensor="Renamed \\"sensor\\" \\\\ with\\nlines"');
  expect(one.get("otlp/0001.txt")).toContain("prtg.channel_value");
  expect(one.get("pages/05-reloaded/reload.txt")).toContain("Reloaded.");
  expect(one.get("commands/backfill.out")).toContain("files in history");
  expect(one.get("commands/serve.err")).toContain("stopped");
}, 300_000);
