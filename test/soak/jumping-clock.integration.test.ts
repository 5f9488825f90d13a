import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";

const HOUR_MS = 3_600_000;
const CLOCK = new URL("../../soak/jumping-clock.ts", import.meta.url).href;
/** Says how many hours `Date.now()`, `new Date()` and `Date()` are ahead of what the monotonic clock makes of the start. */
const PROGRAM = `
const start = performance.timeOrigin;
const hours = (ms) => Math.round((ms - start - performance.now()) / ${HOUR_MS});
setInterval(() => {
  const dates = [Date.now(), new Date().getTime(), Date.parse(Date())].map(hours);
  const fixed = new Date(0).toISOString() + (new Date() instanceof Date);
  console.log(dates.join(" ") + " " + fixed);
}, 20);
`;

test("the wall clock of a process follows a file, back and forth; the monotonic one does not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "prtg-exporter-clock-"));
  const file = join(folder, "clock");
  const child = spawn(process.execPath, ["--import", CLOCK, "--eval", PROGRAM], {
    env: { ...process.env, SOAK_CLOCK_FILE: file },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-1_000);
  });
  for (const hours of [0, 5, -2]) {
    writeFileSync(file, String(hours * HOUR_MS));
    const line = `${hours} ${hours} ${hours} 1970-01-01T00:00:00.000Ztrue\n`;
    while (!output.includes(line)) await once(child.stdout, "data");
  }
});
