import { expect, onTestFinished, test } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { Exporter } from "../../src/app/exporter.ts";
import type { Config } from "../../src/config/load.ts";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { loadTestConfig } from "../support/test-config.ts";

test("a new or changed entry of an unreachable server reports the outage", async () => {
  const simulator = await simulateServer();
  const configOf = async (...servers: readonly string[]): Promise<Config> => {
    const entry = (more: string) => `{ url: "${simulator.url}", auth: { api_key: "\${KEY}" }, ${more} }`;
    const yaml = `servers: [${servers.map(entry).join(", ")}]\n`;
    return loadTestConfig(yaml);
  };
  const before = await configOf("name: acme", "name: globex");
  const exporter = new Exporter(before, { ...testContext(), random: () => 0 });
  onTestFinished(() => exporter.stop());
  const breakers = async () => {
    const samples = await exporter.metrics.samples(EXPORTER_METRICS.server.breakerChanged);
    return Object.fromEntries(samples.map(({ labels, value }) => [labels.server, value]));
  };
  await simulator.close();
  await exporter.pollOnce(AbortSignal.timeout(60_000));
  expect(await breakers()).toEqual({ acme: 1, globex: 1 });
  const after = await configOf("name: acme, limits: { timeout: 21s }", "name: globex", "name: initech");
  const digests = await digestConfig(after);
  await exporter.change(await digestConfig(before), { config: after, digests, push: undefined, events: undefined }, 0);
  expect(await breakers()).toEqual({ acme: 1, globex: 1, initech: 1 });
});
