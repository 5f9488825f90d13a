import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { SimSensor, SimStatus, World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Alertmanager, type Notification, startAlertmanager } from "./support/alertmanager.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { runProgram } from "./support/run-program.ts";
import { type ScrapedExporter, startScrapedExporter } from "./support/scraped-exporter.ts";
import { shortened, shortenedRules, shortenedWait } from "./support/shortened-rules.ts";

const EXAMPLE = fileURLToPath(new URL("../../deploy/alertmanager/alertmanager.yml", import.meta.url));
/** Everything takes this part of its time: a minute two seconds. */
const PART = 30;
const MINUTE_MS = 60_000 / PART;
const SENSORS = 13;
const STORIES_LIMIT_MS = 240_000;

describeWithPrograms(["amtool"], "example for Alertmanager", ({ amtool }) => {
  test("passes amtool", async () => {
    const { code, stdout } = await runProgram(amtool, ["check-config", EXAMPLE], "");
    expect(stdout).toContain("SUCCESS");
    expect(code).toBe(0);
  });

  test.each([
    ["critical", "on-call"],
    ["warning", "team"],
    ["info", "nowhere"],
  ])("sends %s to %s", async (severity, receiver) => {
    const args = [
      "config",
      "routes",
      "test",
      `--config.file=${EXAMPLE}`,
      "alertname=PrtgSensorDown",
      `severity=${severity}`,
    ];
    expect((await runProgram(amtool, args, "")).stdout.trim()).toBe(receiver);
  });
});

/** A device of the simulated world, and what happens to it. */
interface Device {
  readonly id: string;
  readonly sensors: readonly SimSensor[];
}

describeWithPrograms(["prometheus-3", "alertmanager"], "notifications of a real Alertmanager", (programs) => {
  // With 12 devices, fewer than three are healthy in one hour of 16.
  const world = createWorld({
    seed: 3,
    startedAt: Date.now(),
    size: { probes: 1, groups: 3, devices: 18, sensors: 270 },
  });
  let folder: string;
  let exporter: ScrapedExporter;
  let alertmanager: Alertmanager;
  let prometheus: Prometheus;
  let dead: Device;
  let flapping: Device;
  let paused: Device;
  let acknowledged: Device;
  /** Evaluations of a firing PrtgSensorDown after the acknowledgement. */
  let firedOn: number;
  /** What there was of a device. */
  const told = ({ id }: Device): Notification[] =>
    alertmanager.notifications.filter(({ groupLabels }) => groupLabels.device_id === id);
  const firing = (device: Device) => told(device).filter(({ status }) => status === "firing");

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-alerts-"));
    exporter = await startScrapedExporter({ simulator: { world } });
    await exporter.poll();
    alertmanager = await startAlertmanager(programs.alertmanager, (webhook) =>
      shortened(readFileSync(EXAMPLE, "utf8"), PART).replaceAll("http://127.0.0.1:9095", webhook),
    );
    prometheus = await Prometheus.start({
      binary: programs["prometheus-3"],
      target: exporter.address,
      config: {
        rule_files: await shortenedRules(folder, PART, { change: shortenedWait(PART) }),
        alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager.address] }] }] },
      },
    });
    await prometheus.waitUntilScraped();
    const [first, second, third, fourth] = healthyDevices(world, exporter.at);
    if (first === undefined || second === undefined || third === undefined || fourth === undefined)
      throw new Error("too few devices");
    [dead, flapping, paused, acknowledged] = [first, second, third, fourth];
    await tellStories();
  }, STORIES_LIMIT_MS);

  afterAll(async () => {
    await prometheus?.stop();
    await alertmanager?.stop();
    await exporter?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What the server says changes, and the next scrape has it. */
  async function set(sensors: readonly SimSensor[], status: SimStatus): Promise<void> {
    for (const { id } of sensors) world.force(id, status, exporter.at);
    await exporter.poll();
    await prometheus.nextScrape();
  }

  async function tellStories(): Promise<void> {
    const begin = performance.now();
    const minute = async (minutes: number) => sleep(Math.max(0, begin + minutes * MINUTE_MS - performance.now()));
    // Alerts of sensors with one or two stars reach nobody.
    const link = flapping.sensors.find(({ priority }) => priority >= 3);
    const disk = acknowledged.sensors.find(({ priority }) => priority >= 3);
    if (link === undefined || disk === undefined) throw new Error("a device without important sensors");
    world.pause(paused.id, exporter.at, "Maintenance window");
    // Sensors notice that a device is dead one after the other.
    await set(dead.sensors.slice(0, 3), "down");
    await minute(1);
    await set([...dead.sensors, disk], "down");
    // Four minutes down, two minutes up.
    for (const spell of [0, 1, 2, 3]) {
      await minute(2 + 6 * spell);
      await set([link], "down");
      await minute(6 + 6 * spell);
      await set([link], "up");
    }
    await set([disk], "acknowledged");
    await minute(28);
    firedOn = await firingEvaluations(disk);
    await set(dead.sensors, "up");
    // What was not scanned for a while is unknown at first.
    world.resume(paused.id, exporter.at);
    await set(paused.sensors, "unknown");
    await minute(30);
    await set(paused.sensors, "up");
    // Kept for 15 minutes, told five minutes later at the latest; the rest is for what should not come.
    await minute(28 + 15 + 5 + 7);
  }

  /** In the last two minutes of the scenario. Four minutes have passed since the acknowledgement, less than an alert is kept after a recovery. */
  async function firingEvaluations({ id }: SimSensor): Promise<number> {
    const alerts = `ALERTS{alertname="PrtgSensorDown", alertstate="firing", sensor_id="${id}"}`;
    const [series] = await prometheus.query(`count_over_time(${alerts}[${(2 * MINUTE_MS) / 1000}s])`);
    return series?.points[0]?.value ?? 0;
  }

  describe("for a dead device", () => {
    test("are a single one about the device, not one for each sensor", () => {
      expect(dead.sensors.length).toBeGreaterThanOrEqual(SENSORS);
      expect(firing(dead).map(({ alerts }) => alerts.map(({ labels }) => labels.alertname))).toEqual([
        ["PrtgDeviceDown"],
      ]);
    });

    test("replace the alerts of all sensors", async () => {
      const alerts = `max_over_time(ALERTS{alertname="PrtgSensorDown", alertstate="firing", device_id="${dead.id}"}[10m])`;
      expect(await prometheus.seriesCount(alerts)).toBe(dead.sensors.length);
    });

    test("include one at its recovery, and none for its sensors", () => {
      const [first] = firing(dead);
      expect(told(dead).map(({ status, receiver }) => [status, receiver])).toEqual([
        ["firing", first?.receiver],
        ["resolved", first?.receiver],
      ]);
    });
  });

  test("are a single one for a flapping link", () => {
    expect(firing(flapping).map(({ alerts }) => alerts.map(({ labels }) => labels.alertname))).toEqual([
      ["PrtgSensorFlapping"],
    ]);
  });

  test("end with an acknowledgement", () => {
    expect(firing(acknowledged).map(({ alerts }) => alerts.map(({ labels }) => labels.alertname))).toEqual([
      ["PrtgSensorDown"],
    ]);
    expect(firedOn).toBe(0);
    expect(told(acknowledged).map(({ status }) => status)).toEqual(["firing", "resolved"]);
  });

  test("lead to the object in PRTG and to a runbook", () => {
    const [alert] = firing(acknowledged).flatMap(({ alerts }) => alerts);
    expect(alert?.annotations.prtg_url).toMatch(new RegExp(`/sensor\\.htm\\?id=${alert?.labels.sensor_id}$`));
    expect(alert?.annotations.runbook_url).toMatch(/^https:\/\/.+\/PrtgSensorDown$/);
  });

  test("do not occur in a maintenance window", async () => {
    expect(told(paused)).toEqual([]);
    const ids = paused.sensors.map(({ id }) => id).join("|");
    const codes = await prometheus.query(`max_over_time(prtg_sensor_status_code{sensor_id=~"${ids}"}[10m])`);
    // Paused by their device, all of them.
    expect(codes.map(({ points }) => points[0]?.value)).toEqual(paused.sensors.map(() => 8));
  });
});

/** Those with enough sensors, all of which are up. */
function healthyDevices(world: World, at: number): Device[] {
  const sensorsOf = new Map<string, SimSensor[]>();
  for (const sensor of world.list("sensor")) {
    const id = sensor.parent?.id ?? "";
    sensorsOf.set(id, [...(sensorsOf.get(id) ?? []), sensor]);
  }
  return [...sensorsOf]
    .map(([id, sensors]) => ({ id, sensors }))
    .filter(
      ({ sensors }) => sensors.length >= SENSORS && sensors.every((sensor) => world.state(sensor, at).status === "up"),
    );
}
