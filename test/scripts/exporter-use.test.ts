import { loadContract } from "prtg-simulator/src/api/contract/contract.ts";
import { startSimulator } from "prtg-simulator/src/simulator.ts";
import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { expect, test } from "vitest";
import { EXPORTER_USE } from "../../scripts/generate/exporter-use.ts";
import type { MonitoringApi } from "../../src/prtg/monitoring-api.ts";
import { READING_ORDER } from "../../src/prtg/node-record.ts";
import { testClient } from "../prtg/support/test-client.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";

const SIZE = { probes: 2, groups: 4, devices: 8, sensors: 20, channels: 60 };
const MINUTE_MS = 60_000;

async function useAll(api: MonitoringApi, world: World): Promise<void> {
  const [sensor] = world.list("sensor");
  const sensorId = sensor?.id ?? "";
  await api.health(never);
  await api.version(never);
  await api.statusSummary(never);
  await api.objectCounts(never);
  for (const kind of READING_ORDER) {
    await api.nodes(kind, {}, never);
  }
  const { items } = await api.channels({}, never);
  for (const each of items.values().take(1)) await api.objects.channel(each.sensorId, each.channelId, never);
  await api.objects.sensor(sensorId, never);
  await api.lookups(never);
  await api.details.accounts(never);
  await api.actions.acknowledge(sensorId, { durationSeconds: 60, message: "" }, never);
  await api.timeSeries(sensorId, "live", never);
}

test("the listed operations of the exporter match its requests", async () => {
  const clock = new ManualClock();
  const world = createWorld({ seed: 1, size: SIZE, startedAt: clock.now() });
  const credentials = { apiKey: "key", username: "exporter", password: "password" };
  const lifetime = { sessionLifetimeMs: 10 * MINUTE_MS };
  const simulator = await startSimulator({ world, clock, spelling: "live", credentials, ...lifetime });
  const auth = { kind: "login", username: "exporter", password: async () => "password" } as const;
  const noLists = ["sensors", "devices", "groups", "probes", "channels"].flatMap((list) => [
    `missing@/experimental/${list}`,
    `missing@/${list}`,
  ]);
  for (const faults of [[], ["missing@/experimental/*s", "missing@/experimental/timeseries/*/live"], noLists]) {
    simulator.faults.set(faults);
    const { api } = testClient(simulator.url, { auth, clock });
    await useAll(api, world);
    await clock.advance(9.9 * MINUTE_MS);
    await api.version(never);
    await api.close();
  }
  const { operations } = await loadContract();
  const requested = new Set(simulator.requests.counts().map(({ method, route }) => `${method} ${route}`));
  await simulator.close();
  const used = operations.filter(({ method, path }) => requested.has(`${method} ${path}`)).map(({ id }) => id);
  expect(used.toSorted()).toEqual(Object.keys(EXPORTER_USE).toSorted());
});

test("a whole exporter requests nothing else", async () => {
  const { simulator, poll, close } = await startSimulatedExporter({ size: SIZE });
  expect(await poll()).toBe(true);
  await close();
  const { operations } = await loadContract();
  for (const { method, route } of simulator.requests.counts()) {
    const found = operations.find((operation) => operation.method === method && operation.path === route);
    expect(EXPORTER_USE).toHaveProperty(found?.id ?? `${method} ${route}`);
  }
});
