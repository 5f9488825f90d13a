import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { servedValue } from "../../support/expected-series.ts";
import { freePort } from "../../support/free-port.ts";
import { parseSample } from "../../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type EndedCommand, runInProcess } from "../support/command-in-process.ts";

const MAPPING = `mapping:
  presets: [base-units]
  rules:
    - match: { channel: Downtime }
      drop: true
    - match: { kind: ping, channel: /Ping Time/ }
      name: test_ping_seconds
      help: Round trip time.
      unit: seconds
`;

interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value?: number;
}

interface MappedChannel {
  readonly sensor_id: string;
  readonly channel_id: string;
  readonly unit: string;
  readonly value?: number;
  readonly outcome: string;
  readonly rule?: string;
  readonly series: readonly Series[];
}

let simulator: Simulator;
let folder: string;
let at: number;

beforeEach(async () => {
  simulator = await simulateServer();
  at = Date.now();
  simulator.freezeAt(at);
  folder = temporaryFolder({
    "prtg.yaml": `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }]\n${MAPPING}`,
    "rules.yaml": MAPPING,
  });
});

function map(...args: string[]): Promise<EndedCommand> {
  return runInProcess(["map", "--config.file", join(folder, "prtg.yaml"), ...args], { KEY: CREDENTIALS.apiKey });
}

async function mapJson(...args: string[]): Promise<MappedChannel[]> {
  const { code, stdout, stderr } = await map("--format", "json", ...args);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe("map --all", () => {
  test("prints every channel with its rule and the series of serve", async () => {
    const channels = await mapJson("--all");
    const { world } = simulator;
    expect(channels.map(({ sensor_id, channel_id }) => `${sensor_id}.${channel_id}`).sort()).toEqual(
      world
        .channels()
        .map(({ sensor, number }) => `${sensor.id}.${number}`)
        .sort(),
    );
    const page = await runInProcess(["serve", "--once", "--config.file", join(folder, "prtg.yaml")], {
      KEY: CREDENTIALS.apiKey,
    });
    const lines = page.stdout
      .split("\n")
      .filter((line) => /^(prtg_channel_(?!limit|info|state)|test_ping_sec)/.test(line));
    const onPage = new Set(lines.map((line) => keyOf(parseSample(line))));
    const served = channels.filter(({ sensor_id, channel_id }) => {
      const channel = world.channel(`${sensor_id}.${channel_id}`);
      return channel !== undefined && servedValue(world, channel, at) !== undefined;
    });
    expect(new Set(served.flatMap(({ series }) => series.map(keyOf)))).toEqual(onPage);
    expect(onPage.size).toBeGreaterThan(100);
    const dropped = channels.filter(({ outcome }) => outcome === "dropped");
    expect(dropped.length).toBeGreaterThan(5);
    expect(dropped.flatMap(({ series }) => series)).toEqual([]);
    expect(new Set(dropped.map(({ rule }) => rule))).toEqual(new Set([`rules[0] of ${join(folder, "prtg.yaml")}`]));
  });

  test("prints a table with a summary", async () => {
    const { code, stdout } = await map("--all");
    const [head, ...lines] = stdout.split("\n");
    expect(code).toBe(0);
    expect(head).toMatch(/^CHANNEL +SENSOR +KIND +NAME +VALUE +UNIT +SERIES +RULE$/);
    expect(lines.filter((line) => /^\d+\.-4 .* none +rules\[0\] of .* drops it$/.test(line)).length).toBeGreaterThan(5);
    expect(stdout).toMatch(/ prtg_channel_value [\d.]+ +rules\[\d\] of preset base-units\n +prtg_channel_\w+ [\d.]+\n/);
    expect(stdout).toMatch(/\n\d+ channels: .*\d+ mapped.*\n$/);
  });

  test("names the rules that match no channel, unless it shows a part of them", async () => {
    const file = join(folder, "prtg.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("kind: ping,", "kind: pimg,"));
    const warning =
      /^warning: rules\[1\] of .*prtg\.yaml matches no channel: no kind is "pimg", the nearest is "ping"$/m;
    expect((await map("--all")).stdout).toMatch(warning);
    expect((await map("--all", "--server", "hq")).stdout).not.toContain("matches no channel");
  });

  test("saves a recording and gives the same result without a server", async () => {
    const file = join(folder, "records.json");
    // From an older version, readable by others.
    writeFileSync(file, "");
    chmodSync(file, 0o644);
    const live = await map("--all", "--save", file);
    expect(live.code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, "utf8");
    for (const secret of [CREDENTIALS.apiKey, simulator.url]) expect(text).not.toContain(secret);
    await simulator.close();
    expect((await map("--all", "--recording", file)).stdout).toBe(live.stdout);
    // Needs neither server nor credentials.
    const rules = join(folder, "rules.yaml");
    const alone = await runInProcess(["map", "--config.file", rules, "--all", "--recording", file]);
    const columns = (text: string) => text.replaceAll("prtg.yaml", "rules.yaml").replaceAll(/ {2,}/g, "  ");
    expect([alone.code, alone.stderr, columns(alone.stdout)]).toEqual([0, "", columns(live.stdout)]);
    const few = await runInProcess(["map", "--all", "--recording", file], { PRTG_PASSWORD_FILE: "/nowhere" });
    expect([few.code, few.stderr]).toEqual([0, ""]);
    expect(few.stdout).toContain("no rules are configured");
  });
});

describe("map --sensor", () => {
  test("prints the channels of one sensor, also from a recording of that sensor", async () => {
    const sensor = simulator.world.list("sensor").find(({ channels }) => channels.length > 2);
    const id = sensor?.id ?? "";
    const all = (await mapJson("--all")).filter((channel) => channel.sensor_id === id);
    const file = join(folder, "one.json");
    expect(await mapJson("--sensor", id, "--save", file)).toEqual(all);
    expect(all).toHaveLength(sensor?.channels.length ?? 0);
    expect(JSON.parse(readFileSync(file, "utf8")).servers[0].channels).toHaveLength(all.length);
    expect(await mapJson("--sensor", id, "--recording", file)).toEqual(all);
  });

  test("reports an unknown sensor", async () => {
    const { code, stdout, stderr } = await map("--sensor", "999999");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/hq: no sensor 999999 \[MAP_SENSOR_UNKNOWN\]/);
    const device = simulator.world.list("device")[0]?.id ?? "";
    expect((await map("--sensor", device)).stderr).toContain(`${device} is a device, not a sensor`);
  });
});

describe("map errors", () => {
  test.each([
    [[], 2, /give --sensor <id>, or --all/],
    [["--sensor", "1", "--all"], 2, /--sensor <id> or --all, not both/],
    [["--sensor", "2490.1"], 2, /"2490\.1" is not the id of a sensor/],
    [["--all", "--save", "a", "--recording", "b"], 2, /--save cannot be combined with --recording/],
    [["--all", "--format", "xml"], 2, /Allowed choices are table, json/],
    [["--all", "--server", "dc"], 1, /there is no server dc, only hq \[MAP_SERVER_UNKNOWN\]/],
    [["--all", "--recording", "/nowhere/r.json"], 1, /\/nowhere\/r\.json cannot be read: no such file/],
    [["--all", "--recording", "package.json"], 1, /package\.json is not a recording.*\[RECORDING_INVALID\]/],
    [["--all", "--save", "/nowhere/r.json"], 1, /\/nowhere\/r\.json cannot be written: no such file/],
  ] as const)("%j", async (args, expected, message) => {
    const { code, stdout, stderr } = await map(...args);
    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr).toMatch(message);
  });

  test("include an unreachable server", async () => {
    const config = `servers: [{ name: hq, url: "http://127.0.0.1:${await freePort()}", auth: { api_key: "\${KEY}" } }]`;
    const file = join(temporaryFolder({ "gone.yaml": config }), "gone.yaml");
    const { code, stderr } = await runInProcess(["map", "--all", "--config.file", file], { KEY: "key-of-nobody" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/API_CONNECTION_FAILED/);
  });
});

function keyOf({ name, labels, value }: { name: string; labels: Readonly<Record<string, string>>; value?: unknown }) {
  return JSON.stringify([name, Object.entries(labels).sort(), Number(value)]);
}
