import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Exposition } from "../../../src/exposition/exposition.ts";
import { createRoutes } from "../../../src/http/pages/routes.ts";
import { startWebServer, type WebServer } from "../../../src/http/server/connection-handler.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { TREE_FAMILIES } from "../../../src/mapping/metric-table.ts";
import { shardKeyOf } from "../../../src/store/shard-key.ts";
import { Store } from "../../../src/store/store.ts";
import { ExporterMetrics } from "../../../src/telemetry/exporter-metrics.ts";

const DEVICES = 50;
let server: WebServer;
let metrics = "";

beforeAll(async () => {
  const store = new Store(Object.values(TREE_FAMILIES));
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
    routes: createRoutes({
      ...{ telemetryPath: "/metrics", isReady: () => true, served: () => undefined, exposition },
      hasServer: (name) => ["hq", "a/b ü"].includes(name),
    }),
  });
  metrics = `${server.urls[0]}/metrics`;
});

afterAll(() => server.close(0));

async function lines(query: string, headers: Record<string, string> = {}): Promise<string[]> {
  // fetch decompresses.
  const response = await fetch(`${metrics}${query}`, { headers });
  expect(response.status).toBe(200);
  return (await response.text()).split("\n").filter((line) => line.startsWith("prtg_") && !line.includes("exporter"));
}

test.each(["gzip", "identity"])("the parts together equal the page (%s)", async (encoding) => {
  const headers = { "accept-encoding": encoding };
  const parts = await Promise.all(["0/3", "1/3", "2/3"].map((shard) => lines(`?shard=${shard}`, headers)));
  for (const part of parts) expect(part.length).toBeGreaterThan(5);
  expect(parts.flat().sort()).toEqual((await lines("", headers)).sort());
  expect(parts.flat()).toHaveLength(DEVICES + 1);
  expect(parts[0]).toContain(`prtg_objects{server="hq",kind="device"} ${DEVICES}`);
});

test("only the first part has exporter metrics, and every part ends", async () => {
  const headers = { accept: "application/openmetrics-text;version=1.0.0" };
  const pages = await Promise.all(
    ["0/2", "1/2"].map(async (shard) => (await fetch(`${metrics}?shard=${shard}`, { headers })).text()),
  );
  expect(pages.map((page) => page.includes("prtg_exporter_build_info"))).toEqual([true, false]);
  for (const page of pages) expect(page.endsWith("# EOF\n")).toBe(true);
});

test("the endpoint ignores unknown parameters", async () => {
  expect(await lines("?module=x")).toHaveLength(DEVICES + 1);
});

test.each(["?shard=", "?shard=2/2", "?shard=x", "?shard=0/0", "?shard=0/1000", "?shard=0/2&shard=1/2", "?shard=-1/2"])(
  "the endpoint rejects %s with a message",
  async (query) => {
    const response = await fetch(`${metrics}${query}`);
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toContain("text/plain");
    expect(await response.text()).toMatch(/shard: expected i\/n, the i-th of n parts/);
  },
);

test("HEAD for a part returns the size of GET", async () => {
  // The first part has changing self-metrics.
  const [head, get] = await Promise.all(
    ["HEAD", "GET"].map((method) =>
      fetch(`${metrics}?shard=1/2`, { method, headers: { "accept-encoding": "identity" } }),
    ),
  );
  expect(head?.headers.get("content-length")).toBe(get?.headers.get("content-length"));
  expect(await head?.text()).toBe("");
});

describe("/metrics for servers", () => {
  test.each(["/hq", "?server=hq", "?server=hq&server=hq", "?server=a%2Fb%20%C3%BC&server=hq", "?module=x&server=hq"])(
    "serves the servers of %s",
    async (query) => {
      expect(await lines(query)).toHaveLength(DEVICES + 1);
    },
  );

  test.each(["/a%2Fb%20%C3%BC", "?server=a/b+%C3%BC"])(
    "serves a server without series under any name: %s",
    async (query) => {
      const response = await fetch(`${metrics}${query}`);
      expect(response.status).toBe(200);
      expect(await lines(query)).toEqual([]);
    },
  );

  test("serves a shard", async () => {
    const parts = await Promise.all(["/hq?shard=0/2", "?server=hq&shard=1/2"].map((query) => lines(query)));
    expect(parts.flat()).toHaveLength(DEVICES + 1);
    expect(new Set(parts.flat()).size).toBe(DEVICES + 1);
  });

  test.each(["/lima", "/", "/hq/", "/HQ", "/%", "?server=", "?server=lima", "?server=hq&server=lima", "/__proto__"])(
    "answers 404 for %s",
    async (query) => {
      const response = await fetch(`${metrics}${query}`);
      expect([response.status, await response.text()]).toEqual([
        404,
        "The configuration has no server with this name.\n",
      ]);
    },
  );

  test("rejects a name in both places and a wrong shard", async () => {
    expect((await fetch(`${metrics}/hq?server=hq`)).status).toBe(400);
    expect((await fetch(`${metrics}/hq?shard=2/2`)).status).toBe(400);
  });
});
