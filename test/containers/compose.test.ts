import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { describeWithPrograms } from "../real/support/programs.ts";
import type { ContainerEngine } from "./support/container-engine.ts";
import { startWithImages } from "./support/image-archive.ts";
import { IMAGE_PROGRAMS, REPOSITORY } from "./support/stand-in-images.ts";

const COMPOSE = ["compose", `--file=${path.join(REPOSITORY, "deploy/compose/compose.yaml")}`];
/** Debian and Go do not provide Grafana. */
const SERVICES = ["simulator", "exporter", "prometheus", "otel-collector"];
/** Two scrapes and a rule evaluation. */
const DATA_LIMIT = { timeout: 120_000, interval: 1_000 };

const answer = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

describeWithPrograms([...IMAGE_PROGRAMS], "deploy/compose in a container engine", (programs) => {
  let engine: ContainerEngine;

  beforeAll(async () => {
    engine = await startWithImages(programs, { ownNetwork: true });
    const up = ["up", "--detach", "--wait", "--no-build", "--pull=never", ...SERVICES];
    await engine.docker([...COMPOSE, ...up], { timeoutMs: 240_000 });
  });

  afterAll(() => engine?.close());

  const idOf = (service: string) => engine.docker([...COMPOSE, "ps", "--all", "--quiet", service]);

  async function query(expression: string): Promise<number> {
    const url = `http://127.0.0.1:9090/api/v1/query?query=${encodeURIComponent(expression)}`;
    const { data } = answer.parse(JSON.parse(await engine.page(url)));
    return Number(data.result[0]?.value[1] ?? Number.NaN);
  }

  test("starts, and the exporter becomes healthy", async () => {
    const health = await engine.docker(["inspect", "--format={{.State.Health.Status}}", await idOf("exporter")]);
    expect(health).toBe("healthy");
  });

  test("serves the page to this machine", async () => {
    const page = await engine.page("http://127.0.0.1:9705/metrics");
    expect(page.match(/^prtg_channel_value\{/gm)?.length).toBeGreaterThan(1_000);
  });

  test("has a Prometheus that scrapes it and evaluates the rules", async () => {
    await vi.waitFor(async () => {
      expect(await query("min(up)")).toBe(1);
      expect(await query('count({__name__=~"prtg_.+"})')).toBeGreaterThan(2_000);
      // From the presets in its configuration.
      expect(await query('count({__name__=~"prtg_ping_.*|prtg_snmp_.*|.*_bytes_per_second"})')).toBeGreaterThan(0);
      expect(await query('count({__name__=~"server.*:.*"})')).toBeGreaterThan(0);
    }, DATA_LIMIT);
  });

  test("pushes to the Collector, which writes the data", async () => {
    await vi.waitFor(async () => {
      const file = await engine.fileOf(await idOf("otel-collector"), "/var/lib/otel-collector/prtg-metrics.json");
      expect(file).toContain('"prtg.channel_value"');
    }, DATA_LIMIT);
  });

  test("keeps its state when the exporter is replaced, and exits with 0", async () => {
    const before = await idOf("exporter");
    const script = 'console.log(require("fs").readdirSync("/var/lib/prtg-exporter").join())';
    const filesIn = (id: string) => engine.docker(["exec", id, "/usr/local/bin/node", "--eval", script]);
    await vi.waitFor(async () => expect(await filesIn(before)).toMatch(/watermarks-.*\.json/), DATA_LIMIT);
    await engine.docker([...COMPOSE, "stop", "exporter"]);
    expect(await engine.docker(["inspect", "--format={{.State.ExitCode}}", before])).toBe("0");
    await engine.docker([...COMPOSE, "up", "--detach", "--wait", "--no-build", "--force-recreate", "exporter"]);
    const after = await idOf("exporter");
    expect(after).not.toBe(before);
    expect(await filesIn(after)).toMatch(/watermarks-.*\.json/);
    const log = await engine.run(["logs", after]);
    expect(log.stdout + log.stderr).not.toMatch(/"level":"(error|fatal)"/);
  });
});
