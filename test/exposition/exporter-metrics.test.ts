import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { renderExporterMetrics } from "../../src/exposition/exporter-metrics.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";

async function textOf(...[registry, format, servers]: [Registry, "text" | "openmetrics", (readonly string[])?]) {
  return Buffer.concat(await renderExporterMetrics(registry, format, new ManualClock(), servers)).toString();
}

function registryOfEachType(): Registry {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    ...{ name: "prtg_exporter_requests_total", help: 'Requests "of" all.', registers },
    labelNames: ["server"],
  });
  requests.inc({ server: 'a "b"\\\nü' }, 2);
  const common = { name: "prtg_exporter_duration_seconds", help: "Durations.", registers };
  const durations = new Histogram({ ...common, buckets: [0.5, 1], labelNames: ["server"] });
  for (const seconds of [0.25, 0.75, 7]) durations.observe({ server: "hq" }, seconds);
  new Gauge({ name: "nodejs_lag_seconds", help: "Lag.", registers }).set(Number.NaN);
  new Gauge({ name: "nodejs_version_info", help: "Version.", labelNames: ["major"], registers }).set({ major: 24 }, 1);
  new Gauge({ name: "prtg_exporter_orphan_objects", help: "Without a series.", labelNames: ["server"], registers });
  return registry;
}

const DURATION_LINES = `prtg_exporter_duration_seconds_bucket{le="0.5",server="hq"} 1
prtg_exporter_duration_seconds_bucket{le="1",server="hq"} 2
prtg_exporter_duration_seconds_bucket{le="+Inf",server="hq"} 3
prtg_exporter_duration_seconds_sum{server="hq"} 8
prtg_exporter_duration_seconds_count{server="hq"} 3
`;

test("renders families with samples in the order of the registry, in the text format", async () => {
  expect(await textOf(registryOfEachType(), "text")).toBe(`# HELP prtg_exporter_requests_total Requests "of" all.
# TYPE prtg_exporter_requests_total counter
prtg_exporter_requests_total{server="a \\"b\\"\\\\\\nü"} 2
# HELP prtg_exporter_duration_seconds Durations.
# TYPE prtg_exporter_duration_seconds histogram
${DURATION_LINES}# HELP nodejs_lag_seconds Lag.
# TYPE nodejs_lag_seconds gauge
nodejs_lag_seconds NaN
# HELP nodejs_version_info Version.
# TYPE nodejs_version_info gauge
nodejs_version_info{major="24"} 1
`);
});

test("adds units and removes _total from families of counters in OpenMetrics", async () => {
  expect(await textOf(registryOfEachType(), "openmetrics")).toBe(`# TYPE prtg_exporter_requests counter
# HELP prtg_exporter_requests Requests \\"of\\" all.
prtg_exporter_requests_total{server="a \\"b\\"\\\\\\nü"} 2
# TYPE prtg_exporter_duration_seconds histogram
# UNIT prtg_exporter_duration_seconds seconds
# HELP prtg_exporter_duration_seconds Durations.
${DURATION_LINES}# TYPE nodejs_lag_seconds gauge
# UNIT nodejs_lag_seconds seconds
# HELP nodejs_lag_seconds Lag.
nodejs_lag_seconds NaN
# TYPE nodejs_version_info gauge
# HELP nodejs_version_info Version.
nodejs_version_info{major="24"} 1
`);
});

test("renders only the series of some servers, and the build info", async () => {
  const metrics = emptyMetrics();
  metrics.collectProcessMetrics();
  for (const name of ["hq", "branch", "attic"])
    serverRecorder(metrics, name).requestDuration({ endpoint: "/health" }, 0.02);
  metrics.endpoints.requests({ endpoint: "/health", code: "200" });
  const page = await textOf(metrics.registry, "text", ["hq", "attic"]);
  const samples = page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const servers = samples.map((line) => /server="(\w+)"/.exec(line)?.[1]);
  expect(new Set(servers)).toEqual(new Set(["hq", "attic", undefined]));
  expect(samples.filter((_, at) => servers[at] === undefined)).toEqual([
    `prtg_exporter_build_info{version="1.2.3",revision="abc",node_version="${process.version}"} 1`,
  ]);
  const whole = (await textOf(metrics.registry, "text")).split("\n");
  expect(whole.filter((line) => /server="(hq|attic)"/.test(line))).toEqual(
    samples.filter((line) => line.includes("server=")),
  );
});
