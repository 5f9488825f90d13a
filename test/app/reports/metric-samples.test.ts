import { expect, test } from "vitest";
import { MetricSamples } from "../../../src/app/reports/metric-samples.ts";
import { EXPORTER_METRICS } from "../../../src/telemetry/metric-declarations.ts";
import { serverRecorder } from "../../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../../support/exporter-metrics.ts";

const { requestDuration, requests, unmappedChannels } = { ...EXPORTER_METRICS.server, ...EXPORTER_METRICS.objects };

async function measured(server?: string): Promise<MetricSamples> {
  const metrics = emptyMetrics();
  metrics.setApiDetail("endpoint");
  const [hq, branch] = [serverRecorder(metrics, "hq"), serverRecorder(metrics, "branch")];
  for (let request = 0; request < 94; request++) hq.requestDuration({ endpoint: "/a" }, 0.05);
  for (let request = 0; request < 6; request++) hq.requestDuration({ endpoint: "/a" }, 0.5);
  hq.requestDuration({ endpoint: "/slow" }, 60);
  hq.requests({ endpoint: "/a", code: "200" }, 3);
  hq.requests({ endpoint: "/b", code: "200" }, 4);
  branch.requests({ endpoint: "/a", code: "200" }, 5);
  return MetricSamples.read(metrics, { families: [requestDuration, requests, unmappedChannels], server });
}

test("adds up by labels", async () => {
  const own = await measured();
  expect(own.sum(requests)).toBe(12);
  expect(own.sum(requests, { server: "hq" })).toBe(7);
  expect(own.most(requests, { server: "hq" })).toBe(4);
  expect([...own.by("endpoint", requests)]).toEqual([
    ["/a", 8],
    ["/b", 4],
  ]);
  expect([own.sum(unmappedChannels), own.most(unmappedChannels)]).toEqual([0, 0]);
});

test("reads the requested metrics of one server and rejects others", async () => {
  const own = await measured("branch");
  expect([own.sum(requests), own.distribution(requestDuration, {})]).toEqual([5, undefined]);
  expect(() => own.sum(EXPORTER_METRICS.server.retried)).toThrow("prtg_exporter_api_retries_total was not read");
});

test("reports mean and 95th percentile of a histogram", async () => {
  const own = await measured();
  const of = (endpoint: string) => own.distribution(requestDuration, { server: "hq", endpoint });
  expect(of("/a")?.mean).toBeCloseTo((94 * 0.05 + 6 * 0.5) / 100);
  expect(of("/a")?.p95).toBe(0.5);
  expect(of("/slow")).toEqual({ mean: 60, p95: Number.POSITIVE_INFINITY });
  expect(of("/none")).toBeUndefined();
});
