import { expect, onTestFinished, test, vi } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { Exporter } from "../../src/app/exporter.ts";
import { openOtlpPush, prepareOtlpPush } from "../../src/app/otlp-preparation.ts";
import type { Config } from "../../src/config/load.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { loadTestConfig } from "../support/test-config.ts";

const GRACE_MS = 10_000;
const PATIENCE = { timeout: 30_000, interval: 50 };

test("series of a removed server end even if their first values arrive later", async () => {
  let takesMeasurements = false;
  let refused = 0;
  const clock = new FixedStartClock();
  const simulator = await simulateServer({ clock });
  const { world } = simulator;
  const [late] = world.list("sensor").filter(({ channels }) => channels.length > 1);
  if (late === undefined) throw new Error("no sensor has channels");
  world.pause(late.id, clock.now() - 60_000);
  const receiver = await startReceiver((_, { batches }) => {
    const isMeasurement = batches.some(({ metrics }) => metrics.some(({ name }) => name === "prtg.channel_value"));
    if (takesMeasurements || !isMeasurement) return undefined;
    refused++;
    return { status: 503 };
  });
  const load = async (names: readonly string[]): Promise<Config> => {
    const servers = names.map((name) => `{ name: ${name}, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }`);
    const yaml = `servers: [${servers.join(", ")}]\ncollectors: { status: { schedule: 1s }, channels: { schedule: 1s } }\notlp: { endpoint: "${receiver.url}", interval: 1s }\n`;
    return loadTestConfig(yaml);
  };
  const context = testContext(clock);
  const both = await load(["hq", "second"]);
  const exporter = new Exporter(both, context, await openOtlpPush(both, context, {}));
  onTestFinished(() => exporter.stop());
  await exporter.start();
  // Now the next attempt is seconds away.
  await vi.waitFor(() => expect(refused).toBeGreaterThan(9), PATIENCE);
  world.resume(late.id, clock.now());
  world.scan(late.id, clock.now());
  await vi.waitFor(async () => {
    const page = Buffer.concat(await exporter.exposition.page(negotiateFormat({}), "identity")).toString();
    expect(page).toMatch(new RegExp(`prtg_channel_value{server="second",sensor_id="${late.id}"`));
  }, PATIENCE);

  const hq = await load(["hq"]);
  const [before, digests] = await Promise.all([digestConfig(both), digestConfig(hq)]);
  const push = await prepareOtlpPush(hq, context, {});
  takesMeasurements = true;
  await exporter.change(before, { config: hq, digests, push, events: undefined }, GRACE_MS);
  const channels = (isEnd: boolean) =>
    new Set(
      receiver.points
        .filter(({ metric, ended = false }) => metric === "prtg.channel_value" && ended === isEnd)
        .filter(({ attributes }) => attributes.server === "second")
        .map(({ attributes }) => `${attributes.sensor_id}.${attributes.channel_id}`),
    );
  await vi.waitFor(() => {
    expect([...channels(false)].some((channel) => channel.startsWith(`${late.id}.`))).toBe(true);
    expect(channels(false).difference(channels(true))).toEqual(new Set());
  }, PATIENCE);
});
