import { expect, onTestFinished, test, vi } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { Exporter } from "../../src/app/exporter.ts";
import { openOtlpPush, prepareOtlpPush } from "../../src/app/otlp-preparation.ts";
import type { Config } from "../../src/config/load.ts";
import { type Receiver, startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { loadTestConfig } from "../support/test-config.ts";

const SERVERS = ["hq", "second"];
const GRACE_MS = 5_000;
const LIMIT = { timeout: 30_000, interval: 50 };

/** Series with a value or an end, by instance, metric and attributes. */
function seriesOf({ requests }: Receiver, server: string, isEnd: boolean): Set<string> {
  const found = requests.flatMap(({ batches }) =>
    batches.flatMap(({ resource, metrics }) =>
      metrics
        .filter(({ name }) => name !== "prtg.up" && !name.startsWith("prtg.exporter."))
        .flatMap(({ name, points }) =>
          points
            .filter(({ attributes, ended = false }) => {
              const owner = resource["prtg.server.name"] ?? attributes["prtg.server.name"];
              return ended === isEnd && owner === server;
            })
            .map(({ attributes }) => JSON.stringify([resource["service.instance.id"], name, attributes])),
        ),
    ),
  );
  return new Set(found);
}

/** Number of pushes of the state that have begun. */
function pushesOf({ requests }: Receiver): number {
  const metrics = requests.flatMap(({ batches }) => batches.flatMap((batch) => batch.metrics));
  return metrics.filter(({ name }) => name === "prtg.up").flatMap(({ points }) => points).length / SERVERS.length;
}

function devicesOf({ requests }: Receiver): ReadonlyMap<string | undefined, Readonly<Record<string, string>>> {
  const resources = requests.flatMap(({ batches }) => batches.map(({ resource }) => resource));
  return new Map(resources.map((resource) => [resource["service.instance.id"], resource]));
}

test("each device is a resource, and a reload ends removed series in their resources", async () => {
  const clock = new FixedStartClock();
  const [simulator, receiver] = await Promise.all([simulateServer({ clock }), startReceiver()]);
  const load = async (names: readonly string[]): Promise<Config> => {
    const servers = names.map((name) => `{ name: ${name}, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }`);
    const yaml = `
servers: [${servers.join(", ")}]
otlp: { endpoint: "${receiver.url}", interval: 1s, profile: otel, resource_attributes: { team: net } }
`;
    return loadTestConfig(yaml);
  };
  const context = testContext(clock);
  const both = await load(SERVERS);
  const exporter = new Exporter(both, context, await openOtlpPush(both, context, {}));
  onTestFinished(() => exporter.stop());
  expect(await exporter.start()).toBe(true);
  await vi.waitFor(() => {
    const metrics = new Set([...seriesOf(receiver, "second", false)].map((series) => JSON.parse(series)[1]));
    for (const metric of ["prtg.sensor.status", "prtg.channel.value", "prtg.device.info", "prtg.server.info"]) {
      expect(metrics).toContain(metric);
    }
  }, LIMIT);
  // A push starts after the previous one's end, so a whole one has arrived.
  const pushes = pushesOf(receiver);
  await vi.waitFor(() => expect(pushesOf(receiver)).toBeGreaterThan(pushes + 1), LIMIT);
  const devices = [...devicesOf(receiver)].filter(([, resource]) => resource["prtg.server.name"] === "second");
  expect(devices.length).toBeGreaterThan(1);
  for (const [, resource] of devices) {
    expect(resource).toMatchObject({ "service.name": "prtg-exporter", team: "net", "host.name": expect.any(String) });
    expect(resource["service.instance.id"]).toMatch(new RegExp(`/second/${resource["prtg.device.id"]}$`));
  }
  const schemas = receiver.requests.flatMap(({ batches }) => batches.map(({ schemaUrl }) => schemaUrl));
  expect(new Set(schemas)).toEqual(new Set(["https://opentelemetry.io/schemas/1.45.0"]));

  const hq = await load(["hq"]);
  const [before, digests] = await Promise.all([digestConfig(both), digestConfig(hq)]);
  const push = await prepareOtlpPush(hq, context, {});
  await exporter.change(before, { config: hq, digests, push, events: undefined }, GRACE_MS);
  await vi.waitFor(() => {
    const ended = seriesOf(receiver, "second", true);
    const pushed = seriesOf(receiver, "second", false);
    expect(ended.difference(pushed)).toEqual(new Set());
    expect(pushed.difference(ended)).toEqual(new Set());
  }, LIMIT);
  expect(seriesOf(receiver, "hq", true)).toEqual(new Set());
});
