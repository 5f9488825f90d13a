import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSimulator } from "prtg-simulator/src/simulator.ts";
import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PRESET_NAMES } from "../../src/config/mapping-schema.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SCHEMA_URL } from "../../src/otlp/semantic-conventions.ts";
import type { ReceivedLogs } from "../otlp/support/decode-logs.ts";
import type { ReceivedBatch } from "../otlp/support/decode-metrics.ts";
import { TEST_KEY } from "../support/simulated-exporter.ts";
import { FLUSH_MS, type OtelCollector, startOtelCollector } from "./support/otel-collector.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { type PushingExporter, startPushingExporter } from "./support/pushing-exporter.ts";
import { picturesOf, printPictures, receivedBatches, receivedLogs } from "./support/received-batches.ts";

const PROTOCOLS = ["protobuf", "json"] as const;
const SIZE = { probes: 1, groups: 6, devices: 20, sensors: 60, channels: 400 };
const NOON = Date.UTC(2026, 0, 15, 12);
const PUSHES_MS = 5_000;
const LIMIT_MS = 300_000;

/**
 * The server itself, a switch (hardware, traffic), Windows with disks, one with queues and certificates, Linux with a DNS name.
 */
const GOLDEN = ["2001", "2020", "2052", "2041", "2064"];
/** Changes after the golden file. */
const PAUSED = "2031";

describeWithPrograms(["otel-collector"], "OpenTelemetry Collector that receives the profile otel", (programs) => {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-profile-"));
  let collector: OtelCollector;
  let world: World;
  let received: ReadonlyMap<string, readonly ReceivedBatch[]>;
  let events: ReadonlyMap<string, readonly ReceivedLogs[]>;

  beforeAll(async () => {
    collector = await startOtelCollector({ binary: programs["otel-collector"], folder });
    for (const service of PROTOCOLS) world = await pushFrom(service);
    await sleep(10 * FLUSH_MS);
    await collector.stop();
    received = await receivedBatches(collector.file);
    events = await receivedLogs(collector.logsFile);
  }, LIMIT_MS);

  afterAll(async () => {
    await collector?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Always the same world, still until a device is paused. */
  async function pushFrom(service: (typeof PROTOCOLS)[number]): Promise<World> {
    const same = createWorld({ seed: 1, size: SIZE, startedAt: NOON });
    const credentials = { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" };
    const simulator = await startSimulator({ world: same, clock: systemClock, spelling: "live", credentials });
    let now = NOON;
    simulator.freezeAt(now);
    const stateDir = path.join(folder, service);
    mkdirSync(stateDir);
    writeFileSync(path.join(stateDir, "instance-id"), "one");
    const exporter = await startPushingExporter({
      server: simulator.url,
      clock: { ...systemClock, now: () => now },
      settings: `state_dir: ${stateDir}
mapping: { presets: [${PRESET_NAMES.join(", ")}] }
otlp: { endpoint: "${collector.url}", protocol: http/${service}, service_name: ${service}, profile: otel, events: true, interval: 1s, repeat_interval: 0, timeout: 60s }
collectors: { status: { schedule: 1s }, channels: { schedule: 1s }, timeseries: { schedule: 1s } }
`,
    });
    try {
      // A second push is equal. Measurements go out once.
      await deliveredAll(exporter);
      await pushedTwice(service, now);
      await sleep(PUSHES_MS);
      now += 60_000;
      simulator.freezeAt(now);
      same.pause(PAUSED, now);
      await vi.waitFor(async () => {
        const logs = (await receivedLogs(collector.logsFile)).get(service) ?? [];
        expect(logs.flatMap(({ records }) => records).length).toBeGreaterThan(2);
      }, LIMIT_MS);
      await pushedTwice(service, now);
      await sleep(PUSHES_MS);
    } finally {
      await exporter.stop();
      await simulator.close();
    }
    return same;
  }

  /** A busy machine defers time series, and may read those of some sensors in a later cycle. */
  async function deliveredAll(exporter: PushingExporter): Promise<void> {
    await vi.waitFor(
      async () => {
        const page = await exporter.page();
        expect(page).toMatch(/^prtg_exporter_collector_complete{[^}]*collector="timeseries"[^}]*} 1$/m);
        expect(page).toMatch(/^prtg_exporter_extra_reads_waiting{[^}]*collector="timeseries"[^}]*} 0$/m);
        expect(page).toMatch(/^prtg_exporter_otlp_delivered_points_total{[^}]*resolution="live"[^}]*} [1-9]/m);
        expect(page).toMatch(/^prtg_exporter_otlp_pending_points{[^}]*resolution="live"[^}]*} 0$/m);
      },
      { timeout: LIMIT_MS, interval: 1_000 },
    );
  }

  /** A complete state: a push starts after the previous one's end. */
  async function pushedTwice(service: string, moment: number): Promise<void> {
    await vi.waitFor(
      async () => {
        const metrics = ((await receivedBatches(collector.file)).get(service) ?? []).flatMap((batch) => batch.metrics);
        const points = metrics.filter(({ name }) => name === "prtg.up").flatMap((metric) => metric.points);
        expect(points.filter(({ time }) => time === BigInt(moment) * 1_000_000n).length).toBeGreaterThan(1);
      },
      { timeout: LIMIT_MS, interval: 2_000 },
    );
  }

  test.each(PROTOCOLS)("matches the golden file, as %s", async (service) => {
    const before = (received.get(service) ?? []).map(untilNoon);
    const devices = before.filter(({ resource }) => GOLDEN.includes(resource["prtg.device.id"] ?? ""));
    // The exporters' only difference.
    const pictures = picturesOf(devices).map(({ resource, ...picture }) => {
      return { resource: { ...resource, "service.name": "prtg-exporter" }, ...picture };
    });
    await expect(printPictures(pictures)).toMatchFileSnapshot("fixtures/otel-profile.gen.json");
  });

  test.each(PROTOCOLS)("has the events of a device on its resource, as %s", (service) => {
    const resources = (received.get(service) ?? []).map(({ resource }) => resource);
    const resource = resources.find((each) => each["prtg.device.id"] === PAUSED);
    const logs = events.get(service) ?? [];
    const told = logs.flatMap(({ records }) => records.map(({ attributes }) => attributes["prtg.object.id"]));
    const { children } = world.list("device").find(({ id }) => id === PAUSED) ?? { children: [] };
    expect(new Set(told)).toEqual(new Set([PAUSED, ...children.map(({ id }) => id)]));
    for (const { resource: from, schemaUrl } of logs) {
      expect(from).toEqual(resource);
      expect(schemaUrl).toBe(SCHEMA_URL);
    }
  });

  test.each(PROTOCOLS)("finds each device as a resource, as %s", (service) => {
    const resources = (received.get(service) ?? []).map(({ resource }) => resource);
    const devices = new Map(resources.map((resource) => [resource["prtg.device.id"], resource]));
    const known = world.list("device");
    expect(known.length).toBeGreaterThan(10);
    for (const { id, name, host } of known) {
      expect(devices.get(id)).toMatchObject({
        "prtg.server.name": "hq",
        "prtg.device.name": name,
        ...(host && { "server.address": host }),
      });
    }
  });

  test.each(PROTOCOLS)("finds the version of the conventions in every scope, as %s", (service) => {
    const schemas = (received.get(service) ?? []).map(({ schemaUrl }) => schemaUrl);
    expect(new Set(schemas)).toEqual(new Set([SCHEMA_URL]));
  });

  test("finds the same series in both encodings", () => {
    const [protobuf, json] = PROTOCOLS.map((service) => seriesOf(received.get(service) ?? []));
    expect(protobuf?.size).toBeGreaterThan(1_000);
    expect(protobuf).toEqual(json);
  });

  test.each(PROTOCOLS)("finds preset metrics under convention names, as %s", (service) => {
    const names = (received.get(service) ?? []).flatMap(({ metrics }) => metrics.map(({ name }) => name));
    for (const name of ["system.cpu.utilization", "hw.temperature", "prtg.ping", "prtg.sensor.status"]) {
      expect(names).toContain(name);
    }
  });

  test.each(PROTOCOLS)("finds every measurement once, as %s", (service) => {
    const points = (received.get(service) ?? []).flatMap(({ resource, metrics }) =>
      metrics
        .filter(({ name }) => name === "prtg.channel.value")
        .flatMap(({ points: all }) => all.map((point) => JSON.stringify([resource["prtg.device.id"], point], texts))),
    );
    expect(points.length).toBeGreaterThan(300);
    const seen = new Set<string>();
    expect(points.filter((point) => seen.has(point) || !seen.add(point))).toEqual([]);
  });
});

/** Device, metric and attributes of world series. */
function seriesOf(batches: readonly ReceivedBatch[]): Set<string> {
  const series = batches.flatMap(({ resource, metrics }) =>
    metrics
      .filter(({ name }) => /^(prtg|system|hw)\./.test(name) && !/^prtg\.(exporter\.|up$)/.test(name))
      .flatMap(({ name, unit, points }) =>
        points.map(({ attributes }) =>
          JSON.stringify([resource["prtg.device.id"] ?? "", name, unit, Object.entries(attributes).sort()]),
        ),
      ),
  );
  return new Set(series.sort());
}

/** Data before the change. */
function untilNoon({ metrics, ...batch }: ReceivedBatch): ReceivedBatch {
  const earlier = metrics.map(({ points, ...metric }) => {
    return { ...metric, points: points.filter(({ time, ended }) => time <= BigInt(NOON) * 1_000_000n && !ended) };
  });
  return { ...batch, metrics: earlier.filter(({ points }) => points.length > 0) };
}

function texts(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
