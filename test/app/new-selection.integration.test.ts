import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { Exporter } from "../../src/app/exporter.ts";
import type { Config } from "../../src/config/load.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { StatusReport } from "../../src/http/pages/status/report.ts";
import { seriesKey } from "../support/expected-series.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { parsePage } from "../support/parse-sample.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { loadTestConfig } from "../support/test-config.ts";

const PATIENCE = { timeout: 30_000, interval: 50 };
const RARELY =
  "collectors: { health: { schedule: 1h }, tree: { schedule: 1h }, status: { schedule: 1h }, channels: { schedule: 1h }, limits: { enabled: false }, timeseries: { enabled: false } }\n";

let clock: FixedStartClock;

beforeEach(() => {
  clock = new FixedStartClock();
});

async function configOf({ url }: Pick<Simulator, "url">, more = "", key?: string): Promise<Config> {
  const yaml = `servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" }${more} }]\n${RARELY}`;
  return loadTestConfig(yaml, key);
}

async function start(config: Config) {
  const exporter = new Exporter(config, testContext(clock));
  onTestFinished(() => exporter.stop());
  expect(await exporter.start()).toBe(true);
  const samples = async () => {
    await exporter.exposition.refresh();
    const page = Buffer.concat(await exporter.exposition.page(negotiateFormat({}), "identity")).toString();
    return [...parsePage(page).values()];
  };
  let current = config;
  return {
    change: async (to: Config) => {
      const next = { config: to, digests: await digestConfig(to), push: undefined, events: undefined };
      await exporter.change(await digestConfig(current), next, 1_000);
      current = to;
    },
    look: async () => {
      const all = await samples();
      const byKey = new Map(all.map(({ name, labels, value }) => [seriesKey(name, labels), value]));
      const complete = (collector: string) =>
        byKey.get(seriesKey("prtg_exporter_collector_complete", { server: "hq", collector }));
      const [server] = StatusReport.parse(await exporter.status.status()).servers;
      return {
        up: byKey.get(seriesKey("prtg_up", { server: "hq" })),
        complete: ["tree", "status", "channels"].map(complete).join(" "),
        state: server?.state,
        channels: all.filter(({ name }) => name === "prtg_channel_value").length,
      };
    },
  };
}

const READ = { up: "1", complete: "1 1 1", state: "working" };

/** Two subtrees with sensors. */
function parts({ world }: Simulator): readonly string[] {
  return world
    .list("sensor")
    .flatMap(({ parent }) => parent?.id ?? [])
    .filter((id, index, all) => all.indexOf(id) === index)
    .slice(0, 2);
}

const selecting = (ids: readonly string[]) =>
  `, select: { include: [${ids.map((id) => `{ id: "${id}" }`).join(", ")}] }`;

test("a server is not up until the exporter reads its larger selection: tree, then channels", async () => {
  const simulator = await simulateServer({ clock });
  const [one = "", two = ""] = parts(simulator);
  const exporter = await start(await configOf(simulator, selecting([one])));
  const before = await exporter.look();
  expect(before).toMatchObject(READ);

  const lists = ["probes", "groups", "devices", "sensors"].map((list) => `hang@*/${list}`);
  simulator.faults.set([...lists, "hang@*/objects", "hang@*/channels"]);
  await exporter.change(await configOf(simulator, selecting([one, two])));
  expect(await exporter.look()).toEqual({ ...before, up: "0", complete: "0 0 0", state: "starting" });

  await exporter.change(await configOf(simulator, selecting([two, one])));
  expect(await exporter.look()).toMatchObject({ up: "0", complete: "0 0 0" });
  simulator.faults.set(["hang@*/channels"]);
  await exporter.change(await configOf(simulator, selecting([one, two])));
  await vi.waitFor(async () => expect(await exporter.look()).toMatchObject({ up: "0", complete: "1 1 0" }), PATIENCE);

  simulator.faults.set([]);
  await exporter.change(await configOf(simulator, selecting([two, one])));
  await vi.waitFor(async () => expect(await exporter.look()).toMatchObject(READ), PATIENCE);
  expect((await exporter.look()).channels).toBeGreaterThan(before.channels);
}, 90_000);

test("a smaller selection stays up and reads nothing", async () => {
  const simulator = await simulateServer({ clock });
  const [one = "", two = ""] = parts(simulator);
  const exporter = await start(await configOf(simulator, selecting([one, two])));
  simulator.faults.set(["hang"]);
  await exporter.change(await configOf(simulator, selecting([one])));
  expect(await exporter.look()).toMatchObject(READ);
}, 60_000);

test("another server under the same name is not up until it answers", async () => {
  const [first, second] = await Promise.all([simulateServer({ clock }), simulateServer({ clock })]);
  const exporter = await start(await configOf(first));
  second.faults.set(["hang"]);
  await exporter.change(await configOf(second));
  expect(await exporter.look()).toMatchObject({ up: "0", complete: "0 0 0", state: "starting" });
  second.faults.set([]);
  // Aborts hanging requests.
  await exporter.change(await configOf(second, ", limits: { concurrency: 3 }"));
  await vi.waitFor(async () => expect(await exporter.look()).toMatchObject(READ), PATIENCE);
}, 60_000);

test("a new user's key is not up until the exporter reads its objects, and other limits stay up", async () => {
  const simulator = await simulateServer({ clock });
  const exporter = await start(await configOf(simulator));
  simulator.faults.set(["hang"]);
  await exporter.change(await configOf(simulator, ", limits: { concurrency: 3 }"));
  expect(await exporter.look()).toMatchObject(READ);
  await exporter.change(await configOf(simulator, "", CREDENTIALS.restrictedApiKey));
  expect(await exporter.look()).toMatchObject({ up: "0", complete: "0 0 0" });
  simulator.faults.set([]);
  await exporter.change(await configOf(simulator, ", limits: { concurrency: 3 }", CREDENTIALS.restrictedApiKey));
  await vi.waitFor(async () => expect(await exporter.look()).toMatchObject(READ), PATIENCE);
}, 60_000);
