import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { openEvents, prepareEvents } from "../../src/app/event-outputs.ts";
import { Exporter } from "../../src/app/exporter.ts";
import { type Config, loadConfig } from "../../src/config/load.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { CLOCK_START } from "../support/manual-clock.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ONLY_STATUSES =
  "collectors: { health: { enabled: false }, status: { schedule: 1s }, tree: { schedule: 1h }, channels: { enabled: false }, limits: { enabled: false }, timeseries: { enabled: false } }";

test("a reload keeps sent and waiting events after any change of their settings", async () => {
  const clock = new FixedStartClock();
  const simulator = await simulateServer({ clock });
  simulator.freezeAt(CLOCK_START);
  const folder = temporaryFolder({});
  const configOf = async (section: string, state = "state"): Promise<Config> => {
    const yaml = `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]\nstate_dir: ${join(folder, state)}\n${ONLY_STATUSES}\n${section}\n`;
    const options = { file: join(folder, "test.yaml"), env: { KEY: CREDENTIALS.apiKey }, readFile: async () => yaml };
    return (await loadConfig(options)).config;
  };
  const lines = (name: string): readonly string[] => {
    const path = join(folder, name);
    if (!existsSync(path)) return [];
    const text = readFileSync(path, "utf8").trimEnd();
    return text === "" ? [] : text.split("\n").map((line) => JSON.parse(line).attributes["prtg.status.new"] ?? "");
  };
  const context = testContext(clock);
  let config = await configOf("events: { file: one.jsonl }");
  let exporter = new Exporter(config, context, undefined, await openEvents(config, context, {}));
  onTestFinished(() => exporter.stop());
  await exporter.start();
  const change = async (next: Config) => {
    const [before, digests, events] = await Promise.all([
      digestConfig(config),
      digestConfig(next),
      prepareEvents(next, context, {}),
    ]);
    await exporter.change(before, { config: next, digests, push: undefined, events }, 1_000);
    config = next;
  };
  const sensor = simulator.world
    .list("sensor")
    .find((each) => simulator.world.state(each, simulator.now()).status === "up");
  if (sensor === undefined) throw new Error("no sensor is up");
  const force = (status: "down" | "warning" | "unusual") => {
    simulator.freezeAt(simulator.now() + 60_000);
    simulator.world.force(sensor.id, status, simulator.now());
  };
  const got = (name: string) => expect.poll(() => lines(name));

  force("down");
  await got("one.jsonl").toContain("down");
  await change(await configOf("events: { file: two.jsonl }"));
  force("warning");
  await got("two.jsonl").toContain("warning");

  // The next file gets the waiting events.
  await change(await configOf("events: { file: missing/three.jsonl }"));
  force("unusual");
  await expect
    .poll(async () => (await exporter.metrics.registry.getSingleMetricAsString("prtg_exporter_events_pending")) ?? "")
    .toMatch(/output="file"\} [1-9]/);
  await change(await configOf("events: { file: four.jsonl }", "elsewhere"));
  await got("four.jsonl").toContain("unusual");
  await exporter.stop(1_000);

  // Another process continues in the new folder.
  config = await configOf("events: { file: four.jsonl }", "elsewhere");
  exporter = new Exporter(config, context, undefined, await openEvents(config, context, {}));
  force("down");
  await exporter.start();
  await got("four.jsonl").toContain("down");
  await change(await configOf(""));
  await change(await configOf("events: { file: five.jsonl }", "elsewhere"));
  force("warning");
  await got("five.jsonl").toContain("warning");
  await exporter.stop(1_000);

  const once = (name: string, status: string) => lines(name).filter((each) => each === status).length;
  expect([once("one.jsonl", "down"), once("two.jsonl", "warning"), once("four.jsonl", "unusual")]).toEqual([1, 1, 1]);
  expect([lines("two.jsonl").includes("down"), lines("four.jsonl").includes("warning")]).toEqual([false, false]);
  for (const name of ["state", "elsewhere"]) {
    expect(readdirSync(join(folder, name)).filter((file) => file.startsWith("claim-"))).toEqual([]);
  }
}, 120_000);
