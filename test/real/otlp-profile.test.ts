import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PRESET_NAMES } from "../../src/config/mapping-schema.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SCHEMA_URL } from "../../src/otlp/semantic-conventions.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import type { World } from "../../src/simulator/world/model.ts";
import { createWorld } from "../../src/simulator/world/world.ts";
import type { ReceivedBatch } from "../otlp/support/decode.ts";
import { TEST_KEY } from "../support/simulated-exporter.ts";
import { FLUSH_MS, type OtelCollector, startOtelCollector } from "./support/otel-collector.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { startPushingExporter } from "./support/pushing-exporter.ts";
import { receivedBatches } from "./support/received-batches.ts";

const PROTOCOLS = ["protobuf", "json"] as const;
const PUSHES_MS = 5_000;
const LIMIT_MS = 300_000;

describeWithPrograms(["otel-collector"], "an OpenTelemetry Collector, pushed the profile otel,", (programs) => {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-profile-"));
  let simulator: Simulator;
  let collector: OtelCollector;
  let world: World;
  let received: ReadonlyMap<string, readonly ReceivedBatch[]>;

  beforeAll(async () => {
    const size = { probes: 1, groups: 6, devices: 20, sensors: 60, channels: 400 };
    world = createWorld({ seed: 1, size, startedAt: Date.now() });
    const credentials = { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" };
    simulator = await startSimulator({ world, clock: systemClock, spelling: "live", credentials });
    simulator.freezeAt(Date.now());
    collector = await startOtelCollector({ binary: programs["otel-collector"], folder });
    for (const service of PROTOCOLS) {
      const exporter = await startPushingExporter({
        server: simulator.url,
        settings: `state_dir: ${path.join(folder, service)}
mapping: { presets: [${PRESET_NAMES.join(", ")}] }
otlp: { endpoint: "${collector.url}", protocol: http/${service}, service_name: ${service}, profile: otel, interval: 1s }
collectors: { channels: { schedule: 1s }, timeseries: { schedule: 1s } }
`,
      });
      // The world stands still: a second push says the same, and what was measured goes out once.
      await sleep(PUSHES_MS);
      await exporter.stop();
    }
    await sleep(10 * FLUSH_MS);
    await collector.stop();
    received = await receivedBatches(collector.file);
  }, LIMIT_MS);

  afterAll(async () => {
    await collector?.stop();
    await simulator?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(PROTOCOLS)("finds each device of the server as a resource, as %s", (service) => {
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

  test.each(PROTOCOLS)("finds what presets know under the names of the conventions, as %s", (service) => {
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
    expect(new Set(points).size).toBe(points.length);
  });
});

/** Device, metric and attributes of each series about the monitored world. */
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

function texts(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
