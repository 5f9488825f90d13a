import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SimSensor, SimStatus, World } from "../../packages/simulator/src/world/model.ts";
import { createWorld } from "../../packages/simulator/src/world/world.ts";
import { RULE_FILES } from "../support/rule-files.ts";
import { type Alertmanager, type Notification, startAlertmanager } from "./support/alertmanager.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { runProgram } from "./support/run-program.ts";
import { type ScrapedExporter, startScrapedExporter } from "./support/scraped-exporter.ts";

const EXAMPLE = fileURLToPath(new URL("../../deploy/alertmanager/alertmanager.yml", import.meta.url));
/** A minute takes two seconds. */
const PART = 30;
const MINUTE_MS = 60_000 / PART;
const SENSORS = 13;
const STORIES_LIMIT_MS = 240_000;

describeWithPrograms(["amtool"], "the example for Alertmanager", ({ amtool }) => {
  test("is accepted by amtool", async () => {
    const { code, stdout } = await runProgram(amtool, ["check-config", EXAMPLE], "");
    expect(stdout).toContain("SUCCESS");
    expect(code).toBe(0);
  });

  test.each([
    ["critical", "on-call"],
    ["warning", "team"],
    ["info", "nowhere"],
  ])("sends what is %s to %s", async (severity, receiver) => {
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

interface Device {
  readonly id: string;
  readonly sensors: readonly SimSensor[];
}

describeWithPrograms(["prometheus-3", "alertmanager"], "notifications of a real Alertmanager", (programs) => {
  const world = createWorld({
    seed: 3,
    startedAt: Date.now(),
    size: { probes: 1, groups: 3, devices: 12, sensors: 180 },
  });
  let folder: string;
  let exporter: ScrapedExporter;
  let alertmanager: Alertmanager;
  let prometheus: Prometheus;
  let dead: Device;
  let flapping: Device;
  let paused: Device;
  const told = ({ id }: Device): Notification[] =>
    alertmanager.notifications.filter(({ groupLabels }) => groupLabels.device_id === id);
  const firing = (device: Device) => told(device).filter(({ status }) => status === "firing");

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-alerts-"));
    exporter = await startScrapedExporter({ simulator: { world } });
    await exporter.poll();
    alertmanager = await startAlertmanager(programs.alertmanager, (webhook) =>
      shortened(readFileSync(EXAMPLE, "utf8")).replaceAll("http://127.0.0.1:9095", webhook),
    );
    prometheus = await Prometheus.start({
      binary: programs["prometheus-3"],
      target: exporter.address,
      config: {
        rule_files: await shortenedRules(folder),
        alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager.address] }] }] },
      },
    });
    await prometheus.waitUntilScraped();
    const [first, second, third] = healthyDevices(world, exporter.at);
    if (first === undefined || second === undefined || third === undefined) throw new Error("too few devices");
    [dead, flapping, paused] = [first, second, third];
    await tellStories();
  }, STORIES_LIMIT_MS);

  afterAll(async () => {
    await prometheus?.stop();
    await alertmanager?.stop();
    await exporter?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Changes the server, visible in the next scrape. */
  async function set(sensors: readonly SimSensor[], status: SimStatus): Promise<void> {
    for (const { id } of sensors) world.force(id, status, exporter.at);
    await exporter.poll();
    await prometheus.nextScrape();
  }

  async function tellStories(): Promise<void> {
    const begin = performance.now();
    const minute = async (minutes: number) => sleep(Math.max(0, begin + minutes * MINUTE_MS - performance.now()));
    const [link] = flapping.sensors;
    if (link === undefined) throw new Error("a device without sensors");
    world.pause(paused.id, exporter.at, "Maintenance window");
    // Sensors notice a dead device one by one.
    await set(dead.sensors.slice(0, 3), "down");
    await minute(1);
    await set(dead.sensors, "down");
    // Four minutes down, two minutes up.
    for (const spell of [0, 1, 2, 3]) {
      await minute(2 + 6 * spell);
      await set([link], "down");
      await minute(6 + 6 * spell);
      await set([link], "up");
    }
    await minute(28);
    await set(dead.sensors, "up");
    // Unscanned sensors are unknown at first.
    world.resume(paused.id, exporter.at);
    await set(paused.sensors, "unknown");
    await minute(30);
    await set(paused.sensors, "up");
    // 15 minutes, five to notify, the rest for extra ones.
    await minute(28 + 15 + 5 + 7);
  }

  describe("of a dead device", () => {
    test("are one, about the device, and not one for each of its sensors", () => {
      expect(dead.sensors.length).toBeGreaterThanOrEqual(SENSORS);
      expect(firing(dead).map(({ alerts }) => alerts.map(({ labels }) => labels.alertname))).toEqual([
        ["PrtgDeviceDown"],
      ]);
    });

    test("although all of the sensors have their alerts", async () => {
      const alerts = `max_over_time(ALERTS{alertname="PrtgSensorDown", alertstate="firing", device_id="${dead.id}"}[10m])`;
      expect(await prometheus.seriesCount(alerts)).toBe(dead.sensors.length);
    });

    test("are one more when it is back, and none of its sensors after it", () => {
      const [first] = firing(dead);
      expect(told(dead).map(({ status, receiver }) => [status, receiver])).toEqual([
        ["firing", first?.receiver],
        ["resolved", first?.receiver],
      ]);
    });
  });

  test("of a flapping link are one, and not one for each time that it goes down", () => {
    expect(firing(flapping).map(({ alerts }) => alerts.map(({ labels }) => labels.alertname))).toEqual([
      ["PrtgSensorFlapping"],
    ]);
  });

  test("of a maintenance window are none", async () => {
    expect(told(paused)).toEqual([]);
    const ids = paused.sensors.map(({ id }) => id).join("|");
    const codes = await prometheus.query(`max_over_time(prtg_sensor_status_code{sensor_id=~"${ids}"}[10m])`);
    // Paused by their device.
    expect(codes.map(({ points }) => points[0]?.value)).toEqual(paused.sensors.map(() => 8));
  });
});

/** Devices with enough sensors, all up. */
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

/** Minutes and hours. */
function shortened(text: string): string {
  const units = { m: 60, h: 3600 };
  return text.replace(/\b(\d+)([mh])\b/g, (_whole, count: string, unit: "m" | "h") => {
    return `${Math.round((Number(count) * units[unit] * 1000) / PART)}ms`;
  });
}

/** Evaluated every second. */
function shortenedRules(folder: string): Promise<string[]> {
  return Promise.all(
    RULE_FILES.filter((file) => file.endsWith("alert-rules.yml")).map(async (file) => {
      const { groups } = load(readFileSync(file, "utf8")) as { groups: { rules: Record<string, string>[] }[] };
      const copy = path.join(folder, path.basename(file));
      const quick = groups.map((group) => ({
        ...group,
        interval: "1s",
        rules: group.rules.map((rule) => ({
          ...rule,
          expr: shortened(rule.expr ?? ""),
          ...(rule.for === undefined ? {} : { for: shortened(rule.for) }),
          ...(rule.keep_firing_for === undefined ? {} : { keep_firing_for: shortened(rule.keep_firing_for) }),
        })),
      }));
      await writeFile(copy, JSON.stringify({ groups: quick }));
      return copy;
    }),
  );
}
