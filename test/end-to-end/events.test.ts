import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { statusChanges } from "prtg-simulator/src/control/status-changes.ts";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { expect, test } from "vitest";
import { startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DAY = Date.UTC(2026, 0, 14);
const STEP_MS = 60 * 60_000;
const STEPS = 24;
/** Steps with a kill, after this number of requests. */
const KILLS = new Map([
  [5, 1],
  [11, 2],
  [18, 4],
  [22, 6],
]);

/** First request of a status poll. */
const FIRST = "sensor-status-summary";

interface Line {
  readonly timestamp: string;
  readonly event_name: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly uid: string;
}

function startExporter(folder: string) {
  const args = ["serve", "--config.file", join(folder, "prtg.yaml"), "--web.listen-address", "127.0.0.1:0"];
  return startCommand(args, { env: { KEY: CREDENTIALS.apiKey } });
}

/** The poll after the current one has ended: the next one begins. */
async function polled({ requests }: Simulator): Promise<void> {
  const begun = () => requests.counts().reduce((sum, { route, count }) => sum + (route.includes(FIRST) ? count : 0), 0);
  const before = begun();
  await expect.poll(begun, { interval: 20 }).toBeGreaterThanOrEqual(before + 2);
}

function readLines(folder: string): readonly Line[] {
  const path = join(folder, "events.jsonl");
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("a day of incidents gives one line for each change, despite four SIGKILLs", async () => {
  // Only sensors change in it. Lists of devices tell no time.
  const world = createWorld({ seed: 8, size: { probes: 1, groups: 3, devices: 50, sensors: 400 }, startedAt: DAY });
  const simulator = await simulateServer({ world });
  const folder = temporaryFolder({
    "prtg.yaml": `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }]
collectors: { status: { schedule: 1s }, tree: { schedule: 1h }, channels: { enabled: false }, limits: { enabled: false }, timeseries: { enabled: false } }
state_dir: state
events: { file: events.jsonl }
`,
  });
  const times = Array.from({ length: STEPS + 1 }, (_, step) => DAY + step * STEP_MS);
  simulator.freezeAt(DAY);
  let exporter = startExporter(folder);
  await exporter.until(/first poll finished/);
  for (const [step, at] of times.entries()) {
    simulator.freezeAt(at);
    const requests = KILLS.get(step);
    if (requests !== undefined) {
      // Any moment of the poll that sees the change, or of its consequences.
      const before = simulator.requests.count();
      await expect.poll(() => simulator.requests.count(), { interval: 5 }).toBeGreaterThanOrEqual(before + requests);
      exporter.kill("SIGKILL");
      await exporter.ended;
      exporter = startExporter(folder);
    }
    await polled(simulator);
  }
  const record = statusChanges(world, times);
  expect(record.length).toBeGreaterThan(100);
  await expect.poll(() => readLines(folder).filter(isObserved).length).toBeGreaterThanOrEqual(record.length);
  exporter.kill("SIGTERM");
  expect((await exporter.ended).code).toBe(0);

  const lines = readLines(folder);
  expect(lines.filter(isObserved).map(changeOf).toSorted()).toEqual(
    record.map(({ id, to, since, message }) => `${id} ${to} ${toSecond(since)} ${message}`).toSorted(),
  );
  expect(new Set(lines.map(({ uid }) => uid)).size).toBe(lines.length);
  // Inferred from a record without a poll.
  const inferred = lines.filter((line) => !isObserved(line));
  expect(inferred.length).toBeGreaterThan(10);
  for (const { attributes, timestamp } of inferred) {
    const node = world.node(String(attributes["prtg.object.id"]));
    if (node === undefined) throw new Error("an event of an object that is not there");
    expect(world.state(node, Date.parse(timestamp) + 999).status).toBe(attributes["prtg.status.new"]);
  }
}, 300_000);

function isObserved({ attributes }: Line): boolean {
  return attributes["prtg.event.inferred"] !== true;
}

function changeOf({ timestamp, attributes }: Line): string {
  return `${attributes["prtg.object.id"]} ${attributes["prtg.status.new"]} ${timestamp} ${attributes["prtg.status.message"]}`;
}

function toSecond(at: number): string {
  return new Date(Math.floor(at / 1_000) * 1_000).toISOString();
}
