import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Exposition } from "../../src/exposition/exposition.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import type { Shard } from "../../src/exposition/representation.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { shardKeyOf } from "../../src/store/shard-key.ts";
import { Store } from "../../src/store/store.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { isOwnMetric } from "../support/parse-sample.ts";

const SERVERS = ["acme", "globex", "initech"];
/** Blocks (1,024 series) and servers overlap. */
const DEVICES = 700;
const TEXT = negotiateFormat({});
const OPEN_METRICS = negotiateFormat({ accept: "application/openmetrics-text;version=1.0.0" });

async function setUp(maxSeries?: number) {
  const clock = new ManualClock();
  const store = new Store(Object.values(TREE_FAMILIES));
  const own = new ExporterMetrics({ version: "1.2.3", revision: "abc" }, () => []);
  for (const server of SERVERS) {
    const recorder = serverRecorder(own, server);
    recorder.requestFinished({ endpoint: "/probes", code: "200", durationMs: 20, bytes: 100 });
  }
  const limits = { maxSeries, maxBytes: undefined };
  const exposition = new Exposition({ store, registry: own.registry, clock, observer: { rendered() {} }, limits });
  const slots = new Map<string, number[]>();
  const statuses = store.table(TREE_FAMILIES.nodeStatusCode);
  const objects = store.table(TREE_FAMILIES.objects);
  await store.commit(() => {
    for (const server of SERVERS) objects.set(objects.add([server, "device"]), DEVICES);
    for (let id = 0; id < DEVICES; id++) {
      for (const server of SERVERS) {
        const labels = [server, String(id), "device", `Device ${id}`];
        const slot = statuses.add(labels, shardKeyOf(server, String(id)));
        statuses.set(slot, 3);
        slots.set(server, [...(slots.get(server) ?? []), slot]);
      }
    }
  });
  const page = async (shard: Partial<Shard> = {}, format = TEXT, encoding: "gzip" | "identity" = "identity") => {
    const body = Buffer.concat(await exposition.page(format, encoding, { index: 0, count: 1, ...shard }));
    return (encoding === "gzip" ? gunzipSync(body) : body).toString();
  };
  const change = (server: string, value: number) =>
    store.commit(() => {
      for (const slot of slots.get(server) ?? []) statuses.set(slot, value);
    });
  return { exposition, page, change, clock, store };
}

function treeSeries(page: string): string[] {
  return page.split("\n").filter((line) => /^[a-z]/.test(line) && !isOwnMetric(line));
}

describe.each(["identity", "gzip"] as const)("parts about servers, %s", (encoding) => {
  test.each([TEXT, OPEN_METRICS])("together equal the page, without lines of other servers", async (format) => {
    const { page } = await setUp();
    const parts = await Promise.all(SERVERS.map((server) => page({ servers: [server] }, format, encoding)));
    for (const [index, part] of parts.entries()) {
      expect(treeSeries(part)).toHaveLength(DEVICES + 1);
      for (const other of SERVERS) {
        expect(part.includes(`server="${other}"`), `${SERVERS[index]} ${other}`).toBe(other === SERVERS[index]);
      }
      expect(part.endsWith("# EOF\n")).toBe(format === OPEN_METRICS);
      // One header per family across blocks.
      expect(part.match(/^# TYPE prtg_node_status_code /gm)).toHaveLength(1);
    }
    const whole = await page({}, format, encoding);
    expect(parts.flatMap(treeSeries).toSorted()).toEqual(treeSeries(whole).toSorted());
    const two = await page({ servers: ["acme", "initech"] }, format, encoding);
    expect(treeSeries(two).toSorted()).toEqual([parts[0] ?? "", parts[2] ?? ""].flatMap(treeSeries).toSorted());
    expect(treeSeries(await page({ servers: [] }, format, encoding))).toEqual([]);
  });

  test("accept shards", async () => {
    const { page } = await setUp();
    const shards = await Promise.all(
      [0, 1, 2].map((index) => page({ servers: ["globex"], index, count: 3 }, TEXT, encoding)),
    );
    expect(shards.flatMap(treeSeries).toSorted()).toEqual(
      treeSeries(await page({ servers: ["globex"] }, TEXT, encoding)).toSorted(),
    );
    for (const shard of shards) expect(treeSeries(shard).length).toBeGreaterThan(DEVICES / 5);
    expect(shards.map((shard) => shard.includes("prtg_exporter_build_info"))).toEqual([true, false, false]);
  });

  test("show the current state after any changes", async () => {
    const { exposition, page, change } = await setUp();
    exposition.start();
    const status = async (server: string) => {
      const values = treeSeries(await page({ servers: [server] }, TEXT, encoding))
        .filter((line) => line.startsWith("prtg_node_status_code"))
        .map((line) => line.slice(line.lastIndexOf(" ") + 1));
      return { count: values.length, values: [...new Set(values)] };
    };
    await page({}, TEXT, encoding);
    expect(await status("globex")).toEqual({ count: DEVICES, values: ["3"] });
    for (const value of [5, 7]) {
      await change("globex", value);
      await exposition.refresh();
      expect(await status("globex")).toEqual({ count: DEVICES, values: [String(value)] });
      expect(await status("acme")).toEqual({ count: DEVICES, values: ["3"] });
    }
    exposition.stop();
  });
});

test("parts have exporter metrics of their servers and the build info", async () => {
  const { page } = await setUp();
  const own = (text: string) => text.split("\n").filter((line) => isOwnMetric(line));
  const whole = own(await page());
  const part = own(await page({ servers: ["acme"] }));
  const expected = whole.filter(
    (line) => line.includes('server="acme"') || line.startsWith("prtg_exporter_build_info"),
  );
  expect(part.toSorted()).toEqual(expected.toSorted());
  expect(part.some((line) => line.startsWith("prtg_exporter_api_request_duration_seconds_bucket"))).toBe(true);
  expect(part.length).toBeLessThan(whole.length / 2);
});

test("parts of a limited page omit its dropped devices", async () => {
  const { page } = await setUp(1_000);
  const whole = treeSeries(await page());
  const parts = await Promise.all(SERVERS.map((server) => page({ servers: [server] })));
  expect(whole.length).toBeLessThanOrEqual(1_000);
  expect(parts.flatMap(treeSeries).toSorted()).toEqual(whole.toSorted());
});

test("a change renders a part only on request, and an unchanged part only once", async () => {
  const { exposition, page, change } = await setUp();
  await page({ servers: ["acme"] }, TEXT, "gzip");
  // Each request makes the end: a block and gzip's trailer.
  const beginning = async () => {
    const buffers = await exposition.page(TEXT, "gzip", { index: 0, count: 1, servers: ["acme"] });
    return new Set(buffers.slice(0, -3));
  };
  const first = await beginning();
  expect((await beginning()).difference(first).size).toBe(0);
  await change("acme", 5);
  await exposition.refresh();
  expect((await beginning()).difference(first).size).toBeGreaterThan(0);
});

test("a part needs few comparisons with other parts for any number of customers", async () => {
  const { exposition, change } = await setUp();
  let looks = 0;
  const parts = Array.from({ length: 200 }, (_, customer) => ({
    ...{ index: 0, count: 1 },
    get servers() {
      looks++;
      return [SERVERS[customer] ?? `customer ${customer}`];
    },
  }));
  for (const part of parts) await exposition.page(TEXT, "identity", part);
  await change("acme", 5);
  looks = 0;
  await exposition.page(TEXT, "identity", parts[0]);
  expect(looks).toBeLessThan(20 * parts.length);
});
