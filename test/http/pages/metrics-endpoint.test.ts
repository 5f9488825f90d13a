import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Exposition } from "../../../src/exposition/exposition.ts";
import { formatLabels } from "../../../src/exposition/text-format.ts";
import { createRoutes } from "../../../src/http/pages/routes.ts";
import { startWebServer, type WebServer } from "../../../src/http/server/web-server.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { TREE_FAMILIES } from "../../../src/mapping/metric-table.ts";
import { shardKeyOf } from "../../../src/store/shard-key.ts";
import { Store } from "../../../src/store/store.ts";
import { ExporterMetrics } from "../../../src/telemetry/exporter-metrics.ts";

const DEVICES = 50;
let server: WebServer;
let metrics = "";

beforeAll(async () => {
  const store = new Store(Object.values(TREE_FAMILIES), (family, values) => formatLabels(family.labels, values));
  const own = new ExporterMetrics({ version: "1.2.3", revision: "abc" }, () => []);
  const exposition = new Exposition({ store, registry: own.registry, clock: systemClock, observer: { rendered() {} } });
  await store.commit(() => {
    const objects = store.table(TREE_FAMILIES.objects);
    objects.set(objects.add(["hq", "device"]), DEVICES);
    const statuses = store.table(TREE_FAMILIES.nodeStatusCode);
    for (let id = 0; id < DEVICES; id++) {
      statuses.set(statuses.add(["hq", String(id), "device", `Device ${id}`], shardKeyOf("hq", String(id))), 3);
    }
  });
  server = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    log: pino({ level: "silent" }),
    routes: createRoutes({ telemetryPath: "/metrics", isReady: () => true, served: () => undefined, exposition }),
  });
  metrics = `${server.urls[0]}/metrics`;
});

afterAll(() => server.close(1_000));

async function lines(query: string, headers: Record<string, string> = {}): Promise<string[]> {
  // fetch takes the compressed page, and gives the text.
  const response = await fetch(`${metrics}${query}`, { headers });
  expect(response.status).toBe(200);
  return (await response.text()).split("\n").filter((line) => line.startsWith("prtg_") && !line.includes("exporter"));
}

test.each(["gzip", "identity"])("serves parts that together are the page (%s)", async (encoding) => {
  const headers = { "accept-encoding": encoding };
  const parts = await Promise.all(["0/3", "1/3", "2/3"].map((shard) => lines(`?shard=${shard}`, headers)));
  for (const part of parts) expect(part.length).toBeGreaterThan(5);
  expect(parts.flat().sort()).toEqual((await lines("", headers)).sort());
  expect(parts.flat()).toHaveLength(DEVICES + 1);
  expect(parts[0]).toContain(`prtg_objects{server="hq",kind="device"} ${DEVICES}`);
});

test("has the exporter's own metrics in the first part only, and ends every part", async () => {
  const headers = { accept: "application/openmetrics-text;version=1.0.0" };
  const pages = await Promise.all(
    ["0/2", "1/2"].map(async (shard) => (await fetch(`${metrics}?shard=${shard}`, { headers })).text()),
  );
  expect(pages.map((page) => page.includes("prtg_exporter_build_info"))).toEqual([true, false]);
  for (const page of pages) expect(page.endsWith("# EOF\n")).toBe(true);
});

test("takes other parameters as what they are: none of ours", async () => {
  expect(await lines("?module=x")).toHaveLength(DEVICES + 1);
});

test.each(["?shard=", "?shard=2/2", "?shard=x", "?shard=0/0", "?shard=0/1000", "?shard=0/2&shard=1/2", "?shard=-1/2"])(
  "refuses %s in words",
  async (query) => {
    const response = await fetch(`${metrics}${query}`);
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toContain("text/plain");
    expect(await response.text()).toMatch(/shard: expected i\/n, the i-th of n parts/);
  },
);

test("answers HEAD for a part with the size that GET has", async () => {
  // Another part than the first, whose own metrics differ from scrape to scrape.
  const [head, get] = await Promise.all(
    ["HEAD", "GET"].map((method) =>
      fetch(`${metrics}?shard=1/2`, { method, headers: { "accept-encoding": "identity" } }),
    ),
  );
  expect(head?.headers.get("content-length")).toBe(get?.headers.get("content-length"));
  expect(await head?.text()).toBe("");
});
