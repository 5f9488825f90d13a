import { readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { openEvents, prepareEvents } from "../../src/app/event-outputs.ts";
import { Exporter } from "../../src/app/exporter.ts";
import { openOtlpPush, prepareOtlpPush } from "../../src/app/otlp-preparation.ts";
import type { Config } from "../../src/config/load.ts";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";
import { type Receiver, startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { certificatePath } from "../support/certificates.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

const GRACE_MS = 5_000;

const messagesOf = ({ records }: Receiver) =>
  records.filter(({ eventName }) => eventName === "prtg.sensor.status_change").map(({ attributes }) => attributes);

test("each event goes once, to the current receiver, during reloads", async () => {
  const clock = new FixedStartClock();
  const simulator = await simulateServer({ clock });
  const [plain, other, secure] = await Promise.all([startReceiver(), startReceiver(), startReceiver(undefined, {})]);
  const folder = temporaryFolder({});
  const configOf = async (otlp: string): Promise<Config> => {
    const yaml = `
servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]
state_dir: ${folder}
collectors: { status: { schedule: 1s }, channels: { enabled: false }, limits: { enabled: false }, timeseries: { enabled: false } }
otlp: { ${otlp} }
`;
    return loadTestConfig(yaml);
  };
  const to = `endpoint: "${plain.url}", events: true`;
  const ca = certificatePath("ca.pem");
  const steps: readonly (readonly [Config, Receiver])[] = [
    [await configOf(to), plain],
    [await configOf(`${to}, interval: 50s`), plain],
    [await configOf(`${to}, protocol: http/json`), plain],
    [await configOf(`${to}, logs_endpoint: "${other.url}/otlp"`), other],
    [await configOf(`events: true, logs_endpoint: "${other.url}/otlp", compression: gzip`), other],
    [await configOf(`${to}, logs_endpoint: "${secure.url}", tls: { ca_file: ${ca} }`), secure],
    [await configOf(to), plain],
  ];
  const [[first] = []] = steps;
  if (first === undefined) throw new Error("no configuration");
  const context = testContext(clock);
  const env = {};
  const push = await openOtlpPush(first, context, env);
  const exporter = new Exporter(first, context, push, await openEvents(first, context, env));
  onTestFinished(() => exporter.stop());
  await exporter.start();

  const { world } = simulator;
  const sensors = world.list("sensor").filter((sensor) => world.state(sensor, clock.now()).status === "up");
  let current = first;
  for (const [index, [config, receiver]] of steps.entries()) {
    const [before, digests] = await Promise.all([digestConfig(current), digestConfig(config)]);
    const prepared = await prepareOtlpPush(config, context, env);
    const events = await prepareEvents(config, context, env);
    await exporter.change(before, { config, digests, push: prepared, events }, GRACE_MS);
    current = config;
    const { id = "" } = sensors[index] ?? {};
    world.force(id, "down", clock.now());
    await expect.poll(() => messagesOf(receiver).map((attributes) => attributes["prtg.sensor.id"])).toContain(id);
  }
  await exporter.stop(GRACE_MS);

  const told = [plain, other, secure].flatMap(messagesOf);
  const forced = steps.map((_, index) => sensors[index]?.id);
  const ofForced = told.filter((attributes) => forced.includes(String(attributes["prtg.sensor.id"])));
  expect(ofForced.map((attributes) => attributes["prtg.sensor.id"]).toSorted()).toEqual(forced.toSorted());
  expect(new Set(told.map((attributes) => attributes["log.record.uid"])).size).toBe(told.length);
  const failed = await exporter.metrics.samples(EXPORTER_METRICS.events.deliveryFailed);
  expect(failed.filter(({ value }) => value > 0)).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.startsWith("claim-"))).toEqual([]);
}, 120_000);
