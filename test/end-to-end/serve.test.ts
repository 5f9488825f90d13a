import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { runCommand, startCommand } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LOOPBACK = ["--web.listen-address", "127.0.0.1:0"];

function environment(url: string): Record<string, string> {
  return { PRTG_URL: url, PRTG_NAME: "hq", PRTG_API_KEY: CREDENTIALS.apiKey };
}

function sampleValue(page: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const found = [...parsePage(page).values()].filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  expect(found.length).toBeLessThan(2);
  return found[0] === undefined ? undefined : Number(found[0].value);
}

describe("demo whose port is in use", () => {
  test("uses the next free port and reports it", async () => {
    const { port } = await simulateServer();
    const demo = startCommand(["demo", "--sensors", "9", "--web.listen-address", `127.0.0.1:${port}`]);
    const [, url = ""] = await demo.until(/Open (\S+)/);
    const other = Number(new URL(url).port);
    expect(other).toBeGreaterThan(port);
    expect(demo.stdout).toContain(`Port ${port} is taken: serving on ${other} instead.\n`);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
  });
});

describe("configuration error", () => {
  test("ends the program with one line and exit code 1", async () => {
    const taken = await simulateServer();
    const address = `127.0.0.1:${taken.port}`;
    const url = environment(taken.url);
    const folder = temporaryFolder({ "bad.yaml": "servers: []\n" });
    const runs: readonly (readonly [args: string[], env: Record<string, string>, expected: RegExp])[] = [
      [["serve", "--web.listen-address", address], url, new RegExp(`cannot listen on ${address}: .*EADDRINUSE`)],
      [
        ["simulate", "--sensors", "9", "--listen-address", address],
        {},
        /cannot listen on .* Choose .*--listen-address/,
      ],
      [["serve", "--config.check"], {}, /no server is configured \[CONFIG_NO_SERVER\] Give --config\.file/],
      [
        ["serve", "--config.file", join(folder, "bad.yaml")],
        {},
        /bad\.yaml:1:10: servers: no server is configured.*\[CONFIG_NO_SERVER\]/,
      ],
      [["serve", "--once", "--config.file", join(folder, "none.yaml")], {}, /none\.yaml: .*no such file/],
    ];
    await Promise.all(
      runs.map(async ([args, env, expected]) => {
        const { code, stdout, stderr } = await runCommand([...args, "--log.level", "error"], { env });
        expect([code, stdout], args.join(" ")).toEqual([1, ""]);
        expect(stderr).toMatch(expected);
        expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      }),
    );
  });

  test("appears in --config.check without a request", async () => {
    const { code, stdout, stderr } = await runCommand(["serve", "--config.check"], {
      env: environment(`http://127.0.0.1:${await freePort()}`),
    });
    expect([code, stdout, stderr]).toEqual([0, "environment: the configuration is valid\n", ""]);
  });
});

describe("serve", () => {
  test("retries during an outage and recovers without a restart", async () => {
    const port = await freePort();
    const folder = temporaryFolder({
      "prtg.yaml": `servers:
  - name: hq
    url: http://127.0.0.1:${port}
    auth: { api_key: "\${PRTG_API_KEY}" }
collectors:
  health: { schedule: 1s }
  tree: { schedule: 1s }
  status: { schedule: 1s }
  channels: { schedule: 1s }
  limits: { schedule: 1s }
`,
    });
    const serve = startCommand(["serve", "--config.file", join(folder, "prtg.yaml"), ...LOOPBACK], {
      env: { PRTG_API_KEY: CREDENTIALS.apiKey },
    });
    const url = await serve.url();
    const ask = async (path: string) => fetch(`${url}${path}`);
    const page = async () => (await ask("/metrics")).text();
    expect((await ask("/-/healthy")).status).toBe(200);
    expect(sampleValue(await page(), "prtg_up")).toBe(0);
    await vi.waitFor(async () => expect((await ask("/-/ready")).status).toBe(200), { timeout: 30_000, interval: 50 });
    const down = await page();
    expect(sampleValue(down, "prtg_up", { server: "hq" })).toBe(0);
    expect(down).not.toContain("prtg_sensor_status{");
    expect(sampleValue(down, "prtg_exporter_collector_success", { collector: "tree" })).toBe(0);
    expect(sampleValue(down, "prtg_exporter_api_endpoint_requests_total", { endpoint: "/health" })).toBeGreaterThan(0);
    const simulator = await simulateServer({ port });
    await vi.waitFor(async () => expect(sampleValue(await page(), "prtg_up")).toBe(1), {
      timeout: 30_000,
      interval: 100,
    });
    // The rest of the page is older.
    const sensors = simulator.world.list("sensor").length;
    await vi.waitFor(async () => expect((await page()).match(/^prtg_sensor_status\{/gm)).toHaveLength(sensors), {
      timeout: 30_000,
      interval: 100,
    });
    serve.kill("SIGTERM");
    const { code, stdout, stderr } = await serve.ended;
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/reading the server failed.*connection refused/);
    expect(stderr).toMatch(/reading the server works again/);
  });
});

describe("serve --once", () => {
  test("prints a page and exits with 0 if the whole poll worked, otherwise with 1", async () => {
    const [sound, broken] = await Promise.all([
      simulateServer(),
      simulateServer({ faults: ["error=500@/experimental/channels"] }),
    ]);
    const [good, bad, none] = await Promise.all([
      runCommand(["serve", "--once"], { env: environment(sound.url) }),
      runCommand(["serve", "--once"], { env: environment(broken.url) }),
      runCommand(["serve", "--once"], { env: environment(`http://127.0.0.1:${await freePort()}`) }),
    ]);
    expect([good.code, good.stderr, bad.code, none.code]).toEqual([0, "", 1, 1]);
    for (const [{ stdout }, up, sensors] of [
      [good, 1, 30],
      [bad, 0, 30],
      [none, 0, 0],
    ] as const) {
      expect(sampleValue(stdout, "prtg_up", { server: "hq" })).toBe(up);
      expect(stdout.match(/^prtg_sensor_status\{/gm) ?? []).toHaveLength(sensors);
    }
    expect(good.stdout).toContain("\nprtg_channel_value{");
    expect(bad.stdout).not.toContain("\nprtg_channel_value{");
    expect(bad.stderr).toContain("collector channels failed: HTTP 500");
  });

  test("prints no partial page on an interruption and ends its session", async () => {
    const simulator = await simulateServer({ faults: ["hang@/experimental/channels"] });
    const { PRTG_URL = "", PRTG_NAME = "" } = environment(simulator.url);
    const folder = temporaryFolder({ "password.txt": CREDENTIALS.password });
    const once = startCommand(["serve", "--once"], {
      env: {
        PRTG_URL,
        PRTG_NAME,
        PRTG_USERNAME: CREDENTIALS.username,
        PRTG_PASSWORD_FILE: join(folder, "password.txt"),
      },
    });
    await vi.waitFor(() => expect(simulator.requests.count({ route: "/objects/count" })).toBe(1), { timeout: 30_000 });
    await vi.waitFor(() => expect(simulator.requests.inFlight).toBe(1), { timeout: 30_000 });
    once.kill("SIGINT");
    const { code, stdout } = await once.ended;
    expect([code, stdout]).toEqual([130, ""]);
    expect(simulator.requests.count({ method: "DELETE", route: "/session", status: 204 })).toBe(1);
  });

  test("ends silently if its reader closes the pipe, as with | head", async () => {
    const simulator = await simulateServer({ faults: ["latency=100ms"] });
    const once = startCommand(["serve", "--once"], { env: environment(simulator.url) });
    once.closeStdout();
    const { code, stderr } = await once.ended;
    expect([code, stderr]).toEqual([141, ""]);
  });
});
