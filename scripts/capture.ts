// Captures a checkout's pages, pushes, requests, logs and files in a fixed run.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { captureRun } from "./capture/captured-run.ts";
import { Stage } from "./capture/stage.ts";

const START = Date.parse("2026-03-12T08:00:10Z");

const { values } = parseArgs({
  options: {
    root: { type: "string", default: "." },
    output: { type: "string" },
    short: { type: "boolean", default: false },
  },
});
if (values.output === undefined) throw new Error("usage: capture.ts [--root CHECKOUT] [--short] --output FOLDER");
const output = resolve(values.output);
const scratch = mkdtempSync(join(tmpdir(), "prtg-captured-"));
const stage = new Stage({ root: resolve(values.root), output, scratch, startAt: START });
rmSync(output, { recursive: true, force: true });
try {
  await captureRun(stage, scratch, values.short);
} finally {
  await stage.close();
  rmSync(scratch, { recursive: true, force: true });
}
const digest = (text: Buffer | string) => createHash("sha256").update(text).digest("hex");
const files = readdirSync(output, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();
const list = files.map((file) => `${digest(readFileSync(file))}  ${file.slice(output.length + 1)}\n`).join("");
writeFileSync(join(output, "DIGESTS"), list);
process.stdout.write(`${files.length} files in ${output}: ${digest(list)}\n`);
process.stderr.write(`${JSON.stringify(process.cpuUsage())}\n`);
