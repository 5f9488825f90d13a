import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FLAGS } from "../../bin/node-settings.js";
import { type BackgroundProgram, startInBackground } from "../real/support/background-program.ts";
import { HOSTILITIES, HostileServer, type Hostility } from "./support/hostile-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START_LIMIT_MS = 60_000;
const HEAP_MB = 350;
/** Outside the heap: code, buffers, allocator reserve. */
const BESIDE_HEAP_MB = 350;
/** Minimum per hostility, then until its first effect. */
const HOSTILE_MS = 4_000;
/** Concurrent lists need longer to show a leak. */
const LONG_HOSTILE_MS = 15_000;
const LONG: ReadonlySet<Hostility> = new Set([
  "lists without end",
  "lists without end, of long names",
  "one sensor with all channels",
]);
/** Usually some seconds. */
const EFFECT_MS = 180_000;
const SOUND_MS = 180_000;

const FAILS = /^prtg_exporter_collector_success\{[^}]*collector="channels"\} 0$/m;
/** Page lines that show the effect. */
const EFFECTS: Partial<Record<Hostility, RegExp>> = {
  "a name of 10 MB": /^prtg_exporter_decode_problems_total\{[^}]*problem="record"\} [1-9]/m,
  "groups within groups":
    /^prtg_exporter_(orphan_objects\{[^}]*\} [1-9]\d\d|collector_success\{[^}]*collector="tree"\} 0)/m,
  "one sensor with all channels": /^prtg_channel_value\{[^}]*channel_id="59999"/m,
};

let server: HostileServer;
let folder: string;
let exporter: BackgroundProgram;
let metricsUrl: string;

beforeAll(async () => {
  server = await HostileServer.start();
  folder = mkdtempSync(join(tmpdir(), "prtg-exporter-hostile-"));
  const file = join(folder, "exporter.json");
  const limits = { timeout: "20s", requests_per_second: 1000 };
  const schedules = { health: "1s", status: "1s", tree: "1s", channels: "1s", limits: "1s" };
  const collectors = Object.fromEntries(Object.entries(schedules).map(([name, schedule]) => [name, { schedule }]));
  writeFileSync(
    file,
    JSON.stringify({ servers: [{ name: "hq", url: server.url, auth: { api_key: "${KEY}" }, limits }], collectors }),
  );
  const serve = ["serve", `--config.file=${file}`, "--web.listen-address=127.0.0.1:0", "--log.format=json"];
  exporter = startInBackground(
    process.execPath,
    [`--max-old-space-size=${HEAP_MB}`, ...FLAGS, "src/main.ts", ...serve],
    { cwd: ROOT, env: { KEY: "key" } },
  );
  [, metricsUrl = ""] = await exporter.waitForLog(/serving metrics on (http:[^"]+)/, START_LIMIT_MS);
  await exporter.waitForLog(/first poll finished/, START_LIMIT_MS);
});

afterAll(async () => {
  await exporter?.stop();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

function resetPeak(): void {
  writeFileSync(`/proc/${exporter.pid}/clear_refs`, "5");
}

function peakMb(): number {
  const status = readFileSync(`/proc/${exporter.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

/** CPU time of the exporter. A busy machine does not change it. */
function cpuMs(): number {
  const [, fields = ""] = readFileSync(`/proc/${exporter.pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return 10 * ((user ?? Number.NaN) + (system ?? Number.NaN));
}

/** `workMs`: CPU time of the exporter until the page was there. */
async function scrape(): Promise<{ readonly page: string; readonly workMs: number }> {
  const before = cpuMs();
  try {
    const answer = await fetch(metricsUrl, { signal: AbortSignal.timeout(60_000) });
    return { page: await answer.text(), workMs: cpuMs() - before };
  } catch (error) {
    await sleep(200);
    exporter.throwIfEnded();
    throw error;
  }
}

function isSound(page: string): boolean {
  const channels = page.split("\n").filter((line) => line.startsWith("prtg_channel_value{"));
  const works = /^prtg_exporter_collector_success\{[^}]*collector="channels"\} 1$/m.test(page);
  return channels.length === 20 && works && /^prtg_up\{[^}]*\} 1$/m.test(page);
}

async function untilSound(): Promise<void> {
  const began = performance.now();
  for (;;) {
    const { page } = await scrape();
    if (isSound(page)) return;
    if (performance.now() - began > SOUND_MS)
      expect.fail(page.match(/^prtg_(exporter_collector_succ|up).*$/gm)?.join("\n"));
    await sleep(500);
  }
}

/** A third by day, another one with each commit. */
const CHOSEN = (Object.keys(HOSTILITIES) as Hostility[]).filter(
  (_, index) => process.env.PRTG_EXPORTER_NIGHTLY === "1" || (index + Number(process.env.PRTG_EXPORTER_SEED)) % 3 === 0,
);

test.each(CHOSEN)(
  "%s: memory stays bounded, and pages and polls continue",
  async (hostility) => {
    await untilSound();
    resetPeak();
    server.hostility = hostility;
    let mostWorkMs = 0;
    const began = performance.now();
    let isMet = false;
    let lastPage = "";
    const hostileMs = LONG.has(hostility) ? LONG_HOSTILE_MS : HOSTILE_MS;
    const goesOn = (ms: number) => ms < hostileMs || (!isMet && ms < EFFECT_MS);
    while (goesOn(performance.now() - began)) {
      const { page, workMs } = await scrape();
      lastPage = page;
      mostWorkMs = Math.max(mostWorkMs, workMs);
      isMet ||= (EFFECTS[hostility] ?? FAILS).test(page);
      await sleep(100);
    }
    server.hostility = undefined;
    exporter.throwIfEnded();
    const peak = peakMb();
    expect(isMet, lastPage.match(/^prtg_exporter_(orphan|collector_succ).*$/gm)?.join("\n")).toBe(true);
    expect(peak).toBeLessThan(HEAP_MB + BESIDE_HEAP_MB);
    expect(mostWorkMs).toBeLessThan(10_000);
    await untilSound();
  },
  600_000,
);
