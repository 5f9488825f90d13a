import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { Exporter } from "../../src/app/exporter.ts";
import { planMeasurements } from "../../src/app/pipeline-plan.ts";
import { type Config, loadConfig } from "../../src/config/load.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { StatusReport } from "../../src/http/pages/status/report.ts";
import { seriesKey } from "../support/expected-series.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { CLOCK_START } from "../support/manual-clock.ts";
import { parsePage } from "../support/parse-sample.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";

const PATIENCE = { timeout: 30_000, interval: 50 };

/** No polls during a test. */
const RARELY =
  "collectors: { health: { schedule: 1h }, tree: { schedule: 1h }, status: { schedule: 1h }, channels: { schedule: 1h }, limits: { schedule: 1h }, timeseries: { enabled: false } }\n";
const RULES =
  "mapping: { rules: [{ match: { channel: Downtime }, name: site_downtime_ratio, help: Down., unit: ratio }, { match: { channel: '*oss*' }, drop: true }] }\n";

let clock: FixedStartClock;

beforeEach(() => {
  clock = new FixedStartClock();
});

const FILES = { KEY: CREDENTIALS.apiKey, PASSWORD: CREDENTIALS.password };

function server(name: string, { url }: Simulator, more = ""): string {
  return `{ name: ${name}, url: "${url}", auth: { username: ${CREDENTIALS.username}, password: "\${PASSWORD}" }${more} }`;
}

async function configOf(servers: readonly string[], settings: string): Promise<Config> {
  const yaml = `servers: [${servers.join(", ")}]\n${settings}`;
  return (await loadConfig({ file: "test.yaml", env: FILES, readFile: async () => yaml })).config;
}

async function frozenServer(): Promise<Simulator> {
  const simulator = await simulateServer({ clock });
  const { world } = simulator;
  const [sensor] = world.list("sensor");
  const other = world.list("device").find(({ id }) => id !== sensor?.parent?.id);
  world.edit(other?.id ?? "", { dependency: { schedule: "none", dependsOn: sensor?.id } }, CLOCK_START);
  simulator.freezeAt(CLOCK_START);
  return simulator;
}

async function started(config: Config): Promise<Exporter> {
  const exporter = new Exporter(config, testContext(clock));
  onTestFinished(() => exporter.stop());
  expect(await exporter.start()).toBe(true);
  // Ready after the values. Limits come later.
  await vi.waitFor(async () => {
    const samples = await samplesOf(exporter);
    for (const { name } of config.servers) expect(samples.get(limitsWorked(name))).toBe("1");
  }, PATIENCE);
  return exporter;
}

function limitsWorked(server: string): string {
  return seriesKey("prtg_exporter_collector_success", { collector: "limits", server });
}

async function change(exporter: Exporter, from: Config, to: Config): Promise<void> {
  const digests = await digestConfig(to);
  await exporter.change(await digestConfig(from), { config: to, digests, push: undefined, events: undefined }, 1_000);
}

async function samplesOf(exporter: Exporter): Promise<Map<string, string>> {
  await exporter.exposition.refresh();
  const page = Buffer.concat(await exporter.exposition.page(negotiateFormat({}), "identity")).toString();
  return new Map([...parsePage(page).values()].map(({ name, labels, value }) => [seriesKey(name, labels), value]));
}

async function shownSeries(exporter: Exporter): Promise<Map<string, string>> {
  const samples = [...(await samplesOf(exporter))].filter(([key]) => !/^(prtg_exporter|nodejs|process)_/.test(key));
  return new Map(samples.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const SETTINGS: Readonly<Record<string, string>> = {
  "other rules": RULES,
  "rules alone": RULES.replace("mapping: {", "mapping: { keep_original: false,"),
  "a preset": "mapping: { presets: [base-units] }\n",
  "narrow labels": "labels: { keep: [] }\n",
  "narrow labels and rules": `labels: { keep: [device] }\n${RULES}`,
  "all statuses, counts of devices": "metrics: { sensor_status: all, node_sensors: [device] }\n",
  "infos of channels": "metrics: { channel_info: always }\n",
  dependencies: "metrics: { dependency_info: true }\n",
};

describe("data under a new configuration", () => {
  test.each(Object.keys(SETTINGS))("appears with %s, and back, without a list from the server", async (name) => {
    const simulator = await frozenServer();
    const plain = await configOf([server("hq", simulator)], RARELY);
    const other = await configOf([server("hq", simulator)], RARELY + SETTINGS[name]);
    const exporter = await started(plain);
    const shownPlain = await shownSeries(exporter);
    const lists = () => simulator.requests.count({ route: "/experimental/sensors" });
    const listsBefore = lists();
    await change(exporter, plain, other);
    // Only lists have counts and dependencies.
    const needsList = other.metrics.nodeSensors.length === 1 || other.metrics.dependencyInfo;
    if (!needsList) expect(lists()).toBe(listsBefore);
    const fresh = await started(other);
    const wanted = await shownSeries(fresh);
    expect(wanted.size).toBeGreaterThan(300);
    await vi.waitFor(async () => expect(await shownSeries(exporter)).toEqual(wanted), PATIENCE);
    await change(exporter, other, plain);
    await vi.waitFor(async () => expect(await shownSeries(exporter)).toEqual(shownPlain), PATIENCE);
  });
});

async function stateOf(exporter: Exporter, collector: string): Promise<string | undefined> {
  const [server] = StatusReport.parse(await exporter.status.status()).servers;
  return server?.collectors?.find(({ name }) => name === collector)?.state;
}

function isOf(key: string, label: string, value: string): boolean {
  return key.includes(JSON.stringify([label, value]));
}

describe("reload with few changes", () => {
  const sessions = ({ requests }: Simulator) => ({
    opened: requests.count({ method: "POST", route: "/session" }),
    ended: requests.count({ method: "DELETE", route: "/session" }),
  });

  test("keeps sessions and counters if a schedule changes, one collector ends and another starts", async () => {
    const simulator = await frozenServer();
    const before = await configOf([server("hq", simulator)], RARELY);
    const after = await configOf(
      [server("hq", simulator)],
      RARELY.replace("tree: { schedule: 1h }", "tree: { schedule: 1s }").replace(
        "limits: { schedule: 1h }",
        "limits: { enabled: false }",
      ),
    );
    const exporter = await started(before);
    const countTree = () => simulator.requests.count({ route: "/objects/count" });
    const first = await samplesOf(exporter);
    expect(first.get(limitsWorked("hq"))).toBe("1");
    await change(exporter, before, after);
    await vi.waitFor(() => expect(countTree()).toBeGreaterThan(2), PATIENCE);
    const second = await samplesOf(exporter);
    expect([...second.keys()].filter((key) => isOf(key, "server", "hq") && isOf(key, "collector", "limits"))).toEqual(
      [],
    );
    for (const [key, value] of first) {
      if (!/_(total|count|bucket)\[/.test(key) || !isOf(key, "server", "hq") || isOf(key, "collector", "limits"))
        continue;
      expect(Number(second.get(key)), key).toBeGreaterThanOrEqual(Number(value));
    }
    expect(sessions(simulator)).toEqual({ opened: 1, ended: 0 });
    await change(exporter, after, before);
    await vi.waitFor(async () => expect((await samplesOf(exporter)).get(limitsWorked("hq"))).toBe("1"), PATIENCE);
    // A tick of the old schedule may still run.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await vi.waitFor(async () => expect(await stateOf(exporter, "tree")).toBe("waiting"), PATIENCE);
    const polls = countTree();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(countTree()).toBe(polls);
    expect(sessions(simulator)).toEqual({ opened: 1, ended: 0 });
  });

  test("sends no request for new rules", async () => {
    const simulator = await frozenServer();
    const before = await configOf([server("hq", simulator)], RARELY + RULES);
    const after = await configOf([server("hq", simulator)], RARELY);
    const exporter = await started(before);
    await change(exporter, before, after);
    const states = ["health", "tree", "status", "channels", "limits"].map((name) => stateOf(exporter, name));
    expect(new Set(await Promise.all(states))).toEqual(new Set(["waiting"]));
  });

  test("adds, removes and changes servers without effect on other servers", async () => {
    const [one, two, three] = await Promise.all([frozenServer(), frozenServer(), frozenServer()]);
    const before = await configOf([server("one", one), server("two", two)], RARELY);
    const after = await configOf(
      [server("three", three), server("two", two, ", limits: { concurrency: 2 }"), server("four", one)],
      RARELY,
    );
    const exporter = await started(before);
    const valuesOf = async (name: string) =>
      [...(await shownSeries(exporter))].filter(
        ([key]) => isOf(key, "server", name) && /^prtg_channel_value/.test(key),
      );
    const known = await valuesOf("two");
    await change(exporter, before, after);
    expect(await valuesOf("one")).toEqual([]);
    // The page never disappears, the connection is new.
    expect(await valuesOf("two")).toEqual(known);
    await vi.waitFor(async () => {
      expect(await valuesOf("three")).toHaveLength(known.length);
      expect(await valuesOf("four")).toHaveLength(known.length);
      expect((await samplesOf(exporter)).get(seriesKey("prtg_up", { server: "two" }))).toBe("1");
      expect(sessions(one)).toEqual({ opened: 2, ended: 1 });
      expect(sessions(two)).toEqual({ opened: 2, ended: 1 });
    }, PATIENCE);
    await vi.waitFor(
      async () =>
        expect([...(await samplesOf(exporter)).keys()].filter((key) => isOf(key, "server", "one"))).toEqual([]),
      PATIENCE,
    );
    expect((await samplesOf(exporter)).get(seriesKey("prtg_exporter_api_breaker_open", { server: "two" }))).toBe("0");
  });

  test("changes links for a new web address and keeps the connection", async () => {
    const simulator = await frozenServer();
    const before = await configOf([server("hq", simulator, ', web_url: "https://old.example.com"')], RARELY);
    const after = await configOf([server("hq", simulator, ', web_url: "https://new.example.com/prtg"')], RARELY);
    const exporter = await started(before);
    const addresses = async () =>
      [...(await samplesOf(exporter)).keys()].filter((key) => key.startsWith("prtg_exporter_server_web_info"));
    const info = (web_url: string) => seriesKey("prtg_exporter_server_web_info", { server: "hq", web_url });
    expect(await addresses()).toEqual([info("https://old.example.com")]);
    const [then, now] = await Promise.all([digestConfig(before), digestConfig(after)]);
    expect(now.whole).not.toBe(then.whole);
    // Reconnects in the background, because connection settings differ.
    expect(now.servers).toEqual(then.servers);
    await change(exporter, before, after);
    expect(await addresses()).toEqual([info("https://new.example.com/prtg")]);
    expect(sessions(simulator)).toEqual({ opened: 1, ended: 0 });
  });

  test.each([
    ["https://prtg-exporter.example.com", "https://prtg-exporter.example.com/tree?server=hq"],
    ["http://example.com:8080/prtg/", "http://example.com:8080/prtg/tree?server=hq"],
  ])("has the address of a server's page below %s", async (externalUrl, page_url) => {
    const simulator = await frozenServer();
    const before = await configOf([server("hq", simulator)], RARELY);
    const after = await configOf([server("hq", simulator)], `${RARELY}web: { external_url: "${externalUrl}" }\n`);
    const exporter = await started(before);
    const addresses = async () =>
      [...(await samplesOf(exporter)).keys()].filter((key) => key.startsWith("prtg_exporter_server_page_info"));
    expect(await addresses()).toEqual([]);
    await change(exporter, before, after);
    expect(await addresses()).toEqual([seriesKey("prtg_exporter_server_page_info", { server: "hq", page_url })]);
    await change(exporter, after, before);
    expect(await addresses()).toEqual([]);
  });

  test("escapes the name of a server in the address of its page", async () => {
    const name = 'Ü & "hq" #1';
    const config = await configOf(
      [server(JSON.stringify(name), await frozenServer())],
      `${RARELY}web: { external_url: "https://e.example.com" }\n`,
    );
    const page_url = "https://e.example.com/tree?server=%C3%9C+%26+%22hq%22+%231";
    expect([...new URL(page_url).searchParams]).toEqual([["server", name]]);
    expect(
      (await samplesOf(await started(config))).get(
        seriesKey("prtg_exporter_server_page_info", { server: name, page_url }),
      ),
    ).toBe("1");
  });

  test("keeps memory bounded", async () => {
    const simulator = await frozenServer();
    const configs = await Promise.all(
      ["plain", "narrow labels and rules", "a preset"].map((name) =>
        configOf([server("hq", simulator)], RARELY + (SETTINGS[name] ?? "")),
      ),
    );
    const [first] = configs;
    if (first === undefined) throw new Error("no configuration");
    const exporter = await started(first);
    const before = await shownSeries(exporter);
    const resources = () => process.getActiveResourcesInfo().filter((name) => name !== "Immediate").length;
    const least = resources();
    let current = first;
    for (let round = 0; round < 10; round++) {
      for (const next of [...configs.slice(1), first]) {
        await change(exporter, current, next);
        current = next;
      }
    }
    expect(await shownSeries(exporter)).toEqual(before);
    await vi.waitFor(() => expect(resources()).toBeLessThanOrEqual(least + 10), PATIENCE);
    expect(sessions(simulator)).toEqual({ opened: 1, ended: 0 });
  });
});

test("shares login and budget between entries of one server, but not pages, pipelines and states", async () => {
  const simulator = await frozenServer();
  const both = await configOf([server("acme", simulator), server("globex", simulator)], RARELY);
  const one = await configOf([server("globex", simulator)], RARELY);
  const exporter = await started(both);
  const sessions = () => ({
    opened: simulator.requests.count({ method: "POST", route: "/session" }),
    ended: simulator.requests.count({ method: "DELETE", route: "/session" }),
  });
  const ofServer = async (name: string) =>
    [...(await shownSeries(exporter)).keys()].filter((key) => isOf(key, "server", name));
  expect(sessions()).toEqual({ opened: 1, ended: 0 });
  const acme = await ofServer("acme");
  expect(acme.length).toBeGreaterThan(100);
  expect((await ofServer("globex")).map((key) => key.replaceAll("globex", "acme")).toSorted()).toEqual(acme.toSorted());

  // Half of 20 a second, for two.
  const reading = await configOf([server("acme", simulator), server("globex", simulator)], "");
  const requestsOf = (config: Config) =>
    config.servers.map((each) => planMeasurements(each, config, false)?.limits.requests);
  expect(requestsOf(reading)).toEqual([300, 300]);
  expect(requestsOf(await configOf([server("acme", simulator)], ""))).toEqual([600]);

  await change(exporter, both, one);
  await vi.waitFor(async () => expect(await ofServer("acme")).toEqual([]), PATIENCE);
  expect((await ofServer("globex")).length).toBe(acme.length);
  await change(exporter, one, both);
  await vi.waitFor(async () => expect((await ofServer("acme")).length).toBe(acme.length), PATIENCE);
  expect(sessions()).toEqual({ opened: 1, ended: 0 });
  await exporter.stop();
  expect(sessions()).toEqual({ opened: 1, ended: 1 });
});
