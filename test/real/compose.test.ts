import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type BackgroundProgram, startInBackground } from "./support/background-program.ts";
import { type ComposeService, placeService, readComposeProject } from "./support/compose-project.ts";
import { describeWithPrograms } from "./support/programs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PINS = path.join(ROOT, "test/real/programs");
const START_LIMIT_MS = 120_000;
/** A scrape and two evaluations of the rules. */
const DATA_LIMIT = { timeout: 120_000, interval: 500 };

const PROGRAMS = ["compose-reader", "prometheus-3", "otel-collector"] as const;

describeWithPrograms([...PROGRAMS], "deploy/compose", (paths) => {
  let services: Readonly<Record<string, ComposeService>>;
  const service = (name: string): ComposeService => {
    const found = services[name];
    if (found === undefined) throw new Error(`no service ${name}`);
    return found;
  };

  beforeAll(async () => {
    services = await readComposeProject(paths["compose-reader"]);
  });

  test("is understood by Docker Compose", () => {
    expect(Object.keys(services).sort()).toEqual(["exporter", "grafana", "otel-collector", "prometheus", "simulator"]);
  });

  test("takes a server of the user's", async () => {
    const env = { PRTG_URL: "https://prtg.example.com:1616", PRTG_API_KEY: "a key" };
    const { exporter } = await readComposeProject(paths["compose-reader"], env);
    expect(exporter?.environment).toMatchObject(env);
  });

  test("runs the versions that the tests run", () => {
    const modules = readFileSync(path.join(PINS, "go.mod"), "utf8");
    const [, major, minor, patch] = /prometheus\/prometheus v0\.(\d)(\d\d)\.(\d+)/.exec(modules) ?? [];
    expect(service("prometheus").image).toBe(`prom/prometheus:v${major}.${Number(minor)}.${patch}`);
    const builder = readFileSync(path.join(PINS, "collector/builder.yaml"), "utf8");
    const [, collector] = /^ {2}version: (.*)$/m.exec(builder) ?? [];
    expect(service("otel-collector").image).toBe(`otel/opentelemetry-collector-contrib:${collector}`);
  });

  test("opens nothing to the network, and keeps no right that it does not need", () => {
    for (const { ports, cap_drop } of Object.values(services)) {
      expect(cap_drop).toEqual(["ALL"]);
      for (const { host_ip } of ports) expect(host_ip).toBe("127.0.0.1");
    }
    expect([service("exporter").read_only, service("simulator").read_only]).toEqual([true, true]);
  });

  describe("with its files, and programs in the place of containers", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-compose-"));
    const running: BackgroundProgram[] = [];
    let prometheus: string;
    let exporter: string;

    beforeAll(async () => {
      const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
      const [simulator, target, collector, web] = ports.map((port) => `127.0.0.1:${port}`);
      const received = path.join(folder, "received");
      mkdirSync(received);
      const places = {
        "0.0.0.0:1615": `${simulator}`,
        "simulator:1615": `${simulator}`,
        "exporter:9705": `${target}`,
        "0.0.0.0:4318": `${collector}`,
        "otel-collector:4318": `${collector}`,
        "/var/lib/otel-collector": received,
        "/var/lib/prtg-exporter": path.join(folder, "exporter/var/lib/prtg-exporter"),
      };
      const start = (name: string, binary: string, before: readonly string[], after: readonly string[] = []) => {
        const { command, env } = placeService(service(name), path.join(folder, name), places);
        const program = startInBackground(binary, [...before, ...command, ...after], { cwd: ROOT, env });
        running.push(program);
        return program;
      };
      const ours = ["src/main.ts"];
      await start("simulator", process.execPath, ours).waitForLog(/^simulating .* on http/m, START_LIMIT_MS);
      // Its own metrics have a network of their own in a container; here every collector would want one and the same port.
      const silent = path.join(folder, "silent.json");
      writeFileSync(silent, JSON.stringify({ service: { telemetry: { metrics: { level: "none" } } } }));
      const receiving = start("otel-collector", paths["otel-collector"], [], [`--config=${silent}`]);
      await receiving.waitForLog(/Everything is ready/, START_LIMIT_MS);
      const serving = start("exporter", process.execPath, ours, [`--web.listen-address=${target}`]);
      await serving.waitForLog(/first poll finished/, START_LIMIT_MS);
      const queried = start("prometheus", paths["prometheus-3"], [], [`--web.listen-address=${web}`]);
      await queried.waitForLog(/Server is ready/, START_LIMIT_MS);
      prometheus = `http://${web}`;
      exporter = `http://${target}`;
    });

    afterAll(async () => {
      await Promise.all(running.map((program) => program.stop("SIGKILL")));
      rmSync(folder, { recursive: true, force: true });
    });

    const values = async (query: string): Promise<number[]> => {
      const answer = await fetch(`${prometheus}/api/v1/query?${new URLSearchParams({ query })}`);
      const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } };
      return data.result.map(({ value }) => Number(value[1]));
    };

    test("brings the simulated server into Prometheus", async () => {
      await expect.poll(() => values('prtg_up{job="prtg", server="demo"}'), DATA_LIMIT).toEqual([1]);
      // Measured at the scrape; the page of what was read is a moment older, and each collector has its own.
      await expect.poll(() => values("sum(prtg_sensors)"), DATA_LIMIT).toEqual([400]);
      const channels = async () => (await values("count(prtg_channel_value)"))[0] ?? 0;
      await expect.poll(channels, DATA_LIMIT).toBeGreaterThan(1_000);
      // Of the presets in its configuration.
      const mapped = "count({__name__=~'prtg_ping_.*|prtg_snmp_.*|.*_bytes_per_second'})";
      await expect.poll(() => values(mapped), DATA_LIMIT).not.toEqual([]);
    });

    test("has its rules evaluated", async () => {
      const answer = await fetch(`${prometheus}/api/v1/rules`);
      const { data } = (await answer.json()) as { data: { groups: { rules: { type: string }[] }[] } };
      const types = data.groups.flatMap(({ rules }) => rules.map(({ type }) => type));
      expect(new Set(types)).toEqual(new Set(["recording", "alerting"]));
      await expect.poll(() => values("count({__name__=~'.+:.+'})"), DATA_LIMIT).not.toEqual([]);
    });

    test("pushes measurements to the collector", async () => {
      const file = path.join(folder, "received/prtg-metrics.json");
      await expect.poll(() => readFileSync(file, "utf8"), DATA_LIMIT).toContain('"name":"prtg.channel_value"');
      // The collector has it before the exporter has its answer.
      const page = async () => (await fetch(`${exporter}/metrics`)).text();
      await expect.poll(page, DATA_LIMIT).toMatch(/^prtg_exporter_otlp_delivered_points_total\{.*\} [1-9]/m);
    });
  });
});
