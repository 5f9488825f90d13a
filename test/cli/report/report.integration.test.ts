import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { SimulatorOptions } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Report, readReport, type ServerReport, writeReport } from "../../../src/cli/report/format.ts";
import { reportOn } from "../../../src/cli/report/reporter.ts";
import { reportedServer, startSimulatedServer } from "../../../src/cli/simulate/simulate.ts";
import { runCommand, startCommand } from "../../support/command-line.ts";
import { never } from "../../support/never-aborted.ts";
import { testContext } from "../../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { loadTestConfig } from "../../support/test-config.ts";

/** A year of a time series, twice with a simulator. */
vi.setConfig({ testTimeout: 300_000 });

const AT = Date.parse("2026-03-12T08:00:00Z");
const SIZE = { probes: 2, groups: 5, devices: 10, sensors: 50, channels: 220 };
const SECRET_NAME = "name-that-nobody-may-see";

async function report(url: string): Promise<ServerReport> {
  const yaml = `servers: [{ name: ${SECRET_NAME}, url: "${url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }]`;
  const config = await loadTestConfig(yaml);
  const [server] = config.servers;
  if (server === undefined) throw new Error("no server");
  return reportOn(server, testContext(), never);
}

async function reportOf(options: Partial<SimulatorOptions>): Promise<ServerReport> {
  const world = createWorld({ seed: 1, size: SIZE, startedAt: AT, plainNames: true });
  const simulator = await simulateServer({ world, startAt: AT, ...options });
  simulator.freezeAt(AT);
  return report(simulator.url);
}

async function written(server: ServerReport): Promise<{ file: string; text: string; content: Report }> {
  const file = join(temporaryFolder({}), "report.json");
  await writeReport(file, "1.2.3", [server]);
  return { file, text: readFileSync(file, "utf8"), content: await readReport(file) };
}

function withoutTimes({ endpoints, ...rest }: ServerReport): object {
  return { ...rest, endpoints: endpoints.map(({ ms: _, ...endpoint }) => endpoint) };
}

async function replayed(server: ServerReport): Promise<ServerReport> {
  const reported = await reportedServer((await written(server)).file);
  const flags = { seed: 1, spelling: "live", release: "26.3", fault: [] } as const;
  const address = { host: "127.0.0.1", port: 0 };
  const simulator = await startSimulatedServer(flags, address, CREDENTIALS, { startAt: AT, reported });
  onTestFinished(() => simulator.close());
  simulator.freezeAt(AT);
  return report(simulator.url);
}

describe("server that plays a report", () => {
  test.each<[string, Partial<SimulatorOptions>]>([
    ["spelling live", { spelling: "live" }],
    ["spelling specification", { spelling: "specification" }],
    ["release 24.3", { release: "24.3" }],
    ["release 25.1, specification", { release: "25.1", spelling: "specification" }],
    ["a version that no release has", { version: "25.4.116.1313" }],
    ["all channels without a limit", { defaultLimit: 3000 }],
    ["values with units", { faults: ["text-values=en"] }],
    ["values with units and decimal commas", { faults: ["text-values=de"] }],
    [
      "missing and refused endpoints",
      {
        faults: [
          "missing=501@/experimental/license",
          "error=403@/lookup-definitions",
          "missing@/sensors/*/data",
          "refuses=include:alerting@/experimental/channels",
        ],
      },
    ],
  ])("%s", async (_, options) => {
    const first = await reportOf(options);
    expect(first.endpoints.filter(({ status }) => status === 200).length).toBeGreaterThan(15);
    expect(first.objects).toEqual(SIZE);
    expect(first.complete).toBe(true);
    expect(withoutTimes(await replayed(first))).toEqual(withoutTimes(first));
  });

  test("shows the differences between spellings and releases", async () => {
    const live = await reportOf({ spelling: "live" });
    const specified = await reportOf({ spelling: "specification", release: "25.1" });
    expect([live.release, live.spelling, live.default_limit]).toEqual(["26.3.122.1665", "live", 100]);
    expect([specified.release, specified.spelling, specified.default_limit]).toEqual([
      "25.1.104.1961",
      "specification",
      null,
    ]);
    const places = live.endpoints.find(({ endpoint }) => endpoint === "/experimental/sensors")?.shape;
    expect(places?.["$[].basic.priority"]).toEqual({ "text of a number": SIZE.sensors });
    expect(places?.["$[].status_since"]).toEqual({ time: SIZE.sensors });
  });
});

describe("content of a report", () => {
  test("has no name, value, address or key of a hostile server", async () => {
    const world = createWorld({ seed: 1, size: SIZE, startedAt: AT, plainNames: false });
    const simulator = await simulateServer({ world, startAt: AT });
    const { text } = await written(await report(simulator.url));
    const secrets = [
      ...[...world.list("probe"), ...world.list("group"), ...world.list("device")].map(({ name }) => name),
      ...world.list("sensor").map(({ name }) => name),
      ...world.list("device").map(({ host }) => host),
      ...world.channels().map(({ name }) => name),
      ...world.list("sensor").flatMap(({ id }) => [`"${id}"`, `${id}.`]),
      ...[CREDENTIALS.apiKey, simulator.url, SECRET_NAME],
    ].filter((secret) => secret.length > 5);
    expect(secrets.length).toBeGreaterThan(150);
    for (const secret of new Set(secrets)) expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
  });

  test("has no unknown text as field, status, release, code or type", async () => {
    const secret = "core-router.example.com";
    const member = { [secret]: secret, name: secret, status: secret, type: secret, unittype: secret };
    const record = { ...member, id: secret, basic: { [secret]: { [secret]: [secret, 1] } } };
    const bodies: Readonly<Record<string, readonly [number, unknown]>> = {
      "/version": [200, { [secret]: secret, prtg_version: "25.1.12.345" }],
      "/objects/count": [200, { "10.0.0.1": 5, [secret]: 7 }],
      "/experimental/license": [400, { code: secret, message: secret }],
    };
    const server = createServer((request, response) => {
      const path = (request.url ?? "").replace("/api/v2", "").replace(/\?.*/, "");
      const list = [record, { ...record, id: "2001", display_value: "42 Main Street" }];
      const [status, body] = bodies[path] ?? [200, list];
      const headers = { "x-request-id": secret, link: secret, "x-total-count": "2" };
      response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { text, content } = await written(await report(`http://127.0.0.1:${port}`));
    for (const word of [secret, "router", "10.0.0.1", "25.1.12.345", "2001", "Main"]) expect(text).not.toContain(word);
    const [{ endpoints = [], release } = {}] = content.servers;
    expect(release).toBeNull();
    expect(endpoints.find(({ endpoint }) => endpoint === "/objects/count")?.shape).toEqual({
      $: { object: 1 },
      "$.*": { integer: 2 },
    });
    expect(endpoints.find(({ endpoint }) => endpoint === "/experimental/license")).toMatchObject({
      status: 400,
      failure: "API_BAD_REQUEST",
      server_code: "other",
    });
    expect(endpoints.find(({ endpoint }) => endpoint === "/sensors/{id}")?.status).toBe(200);
  });

  test("ends after a failure that affects all requests", async () => {
    const simulator = await simulateServer({ faults: ["unsupported-scheme@/version"] });
    const { complete, endpoints } = await report(simulator.url);
    expect(complete).toBe(false);
    expect(endpoints.at(-1)).toMatchObject({ endpoint: "/version", status: 401, failure: "API_WRONG_PORT" });
    const nothing = await report("http://127.0.0.1:1");
    expect(nothing.endpoints).toMatchObject([{ endpoint: "/health", status: null, failure: "API_CONNECTION_FAILED" }]);
  });

  test("fails validation with any addition", async () => {
    const { file, content } = await written(await reportOf({}));
    const odd = { endpoint: "/version", query: "", status: 200, ms: 1, shape: { "$.secret": { text: 1 } } };
    for (const spoilt of [
      { ...content, format_version: 2 },
      { ...content, name: "x" },
      { ...content, servers: [{ ...content.servers[0], release: "10.0.0.1" }] },
      { ...content, servers: [{ ...content.servers[0], endpoints: [odd] }] },
    ]) {
      writeFileSync(file, JSON.stringify(spoilt));
      await expect(readReport(file)).rejects.toMatchObject({ code: "REPORT_INVALID" });
    }
    writeFileSync(file, "{");
    await expect(readReport(file)).rejects.toMatchObject({ code: "REPORT_INVALID" });
    await expect(readReport(`${file}.none`)).rejects.toMatchObject({ code: "REPORT_UNREADABLE" });
    await expect(writeReport(join(file, "below"), "1", [])).rejects.toMatchObject({ code: "REPORT_UNWRITABLE" });
  });
});

test("check writes a report even of a faulty server, and simulate plays it", async () => {
  const simulator = await simulateServer({ faults: ["error=500@/experimental/channels"], release: "25.4" });
  const folder = temporaryFolder({ key: CREDENTIALS.apiKey });
  const file = join(folder, "report.json");
  const env = { PRTG_URL: simulator.url, PRTG_API_KEY_FILE: join(folder, "key") };
  const checked = await runCommand(["check", "--report", file], { env });
  expect(checked.stdout).toContain("report.json: report for a bug report, without names, addresses and values");
  expect((await readReport(file)).servers).toMatchObject([{ release: "25.4.114.1032", objects: { sensors: 30 } }]);
  const played = startCommand(["simulate", "--from-report", file, "--listen-address", "127.0.0.1:0"]);
  const [, url = ""] = await played.until(/simulating 30 sensors with \d+ channels on (\S+)\n/);
  const answer = await fetch(`${url}/version`, { headers: { Authorization: "Bearer simulated-key" } });
  expect(await answer.json()).toMatchObject({ prtg_version: "25.4.114.1032" });
});
