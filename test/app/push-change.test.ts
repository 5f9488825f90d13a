import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { Exporter } from "../../src/app/exporter.ts";
import { discardPush, openOtlpPush, prepareOtlpPush } from "../../src/app/otlp-preparation.ts";
import type { Config } from "../../src/config/load.ts";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { certificatePath } from "../support/certificates.ts";
import { runs } from "../support/runs.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { memoryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

/** Never runs out, even on a busy machine: a push that it cuts off would count as failed. */
const GRACE_MS = 60_000;
const SLOWLY =
  "collectors: { health: { schedule: 1h }, tree: { schedule: 1h }, status: { schedule: 1h }, channels: { schedule: 1s }, limits: { schedule: 1h }, timeseries: { enabled: false } }\n";

async function startStorm() {
  const simulator = await simulateServer();
  const [plain, other, secure] = await Promise.all([
    startReceiver(),
    startReceiver(),
    startReceiver(() => undefined, {}),
  ]);
  const folder = memoryFolder({});
  const server = (name: string) => `{ name: ${name}, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }`;
  const configOf = async (otlp: string | undefined, { servers = ["hq"], state = "state" } = {}): Promise<Config> => {
    const yaml = `servers: [${servers.map(server).join(", ")}]\nstate_dir: ${join(folder, state)}\n${SLOWLY}${
      otlp === undefined ? "" : `otlp: { interval: 1s, ${otlp} }\n`
    }`;
    return loadTestConfig(yaml);
  };
  const to = `endpoint: "${plain.url}"`;
  const ca = certificatePath("ca.pem");
  const configs = await Promise.all([
    configOf(to),
    configOf(`endpoint: "${other.url}"`),
    configOf(`${to}, headers: { x-tenant: two }`),
    configOf(`${to}, protocol: http/json`),
    configOf(`${to}, compression: gzip`),
    configOf(`endpoint: "${secure.url}", tls: { ca_file: ${ca} }`),
    configOf(`endpoint: "${secure.url}", tls: { insecure_skip_verify: true }`),
    configOf(`${to}, timeout: 9s`),
    configOf(to, { servers: ["hq", "second"] }),
    configOf(to, { servers: ["second"], state: "elsewhere" }),
    configOf(undefined),
  ]);
  return {
    configs,
    receivers: [plain, other, secure],
    folders: ["state", "elsewhere"].map((name) => join(folder, name)),
  };
}

test("no push fails during any number of configuration changes", async () => {
  const { configs, receivers, folders } = await startStorm();
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const log = pino({ level: "warn" }, { write: (line) => void lines.push(JSON.parse(line)) });
  const context = { ...testContext(), log };
  const [first] = configs;
  if (first === undefined) throw new Error("no configuration");
  const exporter = new Exporter(first, context, await openOtlpPush(first, context, {}));
  onTestFinished(() => exporter.stop());
  await exporter.start();
  let current = first;
  for (let round = 0; round < runs(20); round++) {
    // Another order of configurations in each round.
    for (let step = 0; step < configs.length; step++) {
      const next = configs[(step * (round + 1) + round) % configs.length];
      if (next === undefined) continue;
      const [before, digests] = await Promise.all([digestConfig(current), digestConfig(next)]);
      const push = await prepareOtlpPush(next, context, {});
      await exporter.change(before, { config: next, digests, push, events: undefined }, GRACE_MS);
      current = next;
    }
  }
  await exporter.stop(GRACE_MS);
  const values = await exporter.metrics.samples(EXPORTER_METRICS.otlp.attemptFailed);
  expect(values.filter(({ value }) => value > 0)).toEqual([]);
  expect(lines.filter(({ msg }) => /push|OTLP|destroyed/.test(msg)).map(({ msg }) => msg)).toEqual([]);
  for (const { points } of receivers) expect(points.length).toBeGreaterThan(0);
  for (const folder of folders) expect(readdirSync(folder).filter((name) => name.startsWith("claim-"))).toEqual([]);
}, 120_000);

test("the next write recreates a removed state_dir and claims it again", async () => {
  const { configs, folders } = await startStorm();
  const [config] = configs;
  const [folder = ""] = folders;
  const prepared = await prepareOtlpPush(config, testContext(), {});
  if (prepared === undefined) throw new Error("nothing is pushed");
  rmSync(folder, { recursive: true });
  await prepared.files.write("some.json", "{}");
  expect(readdirSync(folder).sort()).toEqual([
    expect.stringMatching(/^claim-.*\.json$/),
    expect.stringMatching(/^claim-.*\.lock$/),
    "claims.lock",
    "some.json",
  ]);
  await discardPush(prepared);
  expect(readdirSync(folder).sort()).toEqual(["claims.lock", "some.json"]);
});
