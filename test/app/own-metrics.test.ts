import { Counter, Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { OwnMetrics } from "../../src/app/own-metrics.ts";

async function measured(): Promise<OwnMetrics> {
  const registers = [new Registry()];
  const labelNames = ["server", "endpoint"];
  const seconds = new Histogram({ name: "seconds", help: "-", labelNames, buckets: [0.1, 1, 10], registers });
  for (let request = 0; request < 94; request++) seconds.observe({ server: "hq", endpoint: "/a" }, 0.05);
  for (let request = 0; request < 6; request++) seconds.observe({ server: "hq", endpoint: "/a" }, 0.5);
  seconds.observe({ server: "hq", endpoint: "/slow" }, 60);
  const requests = new Counter({ name: "requests", help: "-", labelNames, registers });
  requests.inc({ server: "hq", endpoint: "/a" }, 3);
  requests.inc({ server: "hq", endpoint: "/b" }, 4);
  requests.inc({ server: "branch", endpoint: "/a" }, 5);
  const [registry] = registers;
  if (registry === undefined) throw new Error("no registry");
  return OwnMetrics.read(registry);
}

it("adds up by labels", async () => {
  const own = await measured();
  expect(own.sum({ name: "requests" })).toBe(12);
  expect(own.sum({ name: "requests" }, { server: "hq" })).toBe(7);
  expect(own.most({ name: "requests" }, { server: "hq" })).toBe(4);
  expect([...own.by("endpoint", { name: "requests" })]).toEqual([
    ["/a", 8],
    ["/b", 4],
  ]);
  expect([own.sum({ name: "missing" }), own.most({ name: "missing" })]).toEqual([0, 0]);
});

it("tells mean and 95th percentile of a histogram", async () => {
  const own = await measured();
  const of = (endpoint: string) => own.distribution({ name: "seconds" }, { server: "hq", endpoint });
  expect(of("/a")?.mean).toBeCloseTo((94 * 0.05 + 6 * 0.5) / 100);
  expect(of("/a")?.p95).toBe(1);
  expect(of("/slow")).toEqual({ mean: 60, p95: Number.POSITIVE_INFINITY });
  expect(of("/none")).toBeUndefined();
});
