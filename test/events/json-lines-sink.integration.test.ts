import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

test.skipIf(process.platform === "win32")("a file size limit leaves complete lines", async () => {
  // ulimit counts 512 or 1024 bytes.
  const path = join(temporaryFolder({}), "events.jsonl");
  const script = `
    process.on("SIGXFSZ", () => undefined);
    const { fileOutput } = await import(${JSON.stringify(new URL("../../src/events/json-lines-sink.ts", import.meta.url).href)});
    const lines = Array.from({ length: 100 }, (_, index) => "x".repeat(99) + index % 10 + "\\n");
    const { written, fault } = await fileOutput(${JSON.stringify(path)}).write(lines, lines.map(String));
    console.log(written, fault.code);
  `;
  const child = spawn("sh", ["-c", 'ulimit -f 4; exec "$0" --input-type=module -e "$1"', process.execPath, script]);
  child.stdout.setEncoding("utf8");
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  await once(child, "close");
  const text = readFileSync(path, "utf8");
  expect(text).toMatch(/^(?:x{99}\d\n)+$/);
  expect(output).toBe(`${text.length / 101} EFBIG\n`);
});
