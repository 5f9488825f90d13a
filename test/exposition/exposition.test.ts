import { gunzipSync } from "node:zlib";
import { Gauge, Registry } from "prom-client";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { Exposition, type ExpositionObserver } from "../../src/exposition/exposition.ts";
import { type NegotiatedFormat, negotiateFormat } from "../../src/exposition/negotiate.ts";
import type { Shard } from "../../src/exposition/representation.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { yieldToEventLoop } from "../../src/lib/yielding.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { Store } from "../../src/store/store.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { parsePage } from "../support/parse-sample.ts";

const TEXT = negotiateFormat({});
const OPENMETRICS = negotiateFormat({ accept: "application/openmetrics-text;version=1.0.0" });
const DOTS = negotiateFormat({ accept: "text/plain;version=1.0.0;escaping=dots" });
const running: Exposition[] = [];

afterEach(() => {
  for (const exposition of running.splice(0)) exposition.stop();
});

function setUp(clock: Clock = systemClock) {
  const store = new Store(Object.values(TREE_FAMILIES));
  const registry = new Registry();
  const rendered: string[] = [];
  const exposition = new Exposition({
    store,
    registry,
    clock,
    observer: { rendered: (format, encoding) => void rendered.push(`${format} ${encoding}`) },
  });
  running.push(exposition);
  const objects = store.table(TREE_FAMILIES.objects);
  const text = async (format = TEXT) => Buffer.concat(await exposition.page(format, "identity")).toString();
  return { store, registry, exposition, rendered, objects, text };
}

/** Hundreds of servers, until the test's end. */
function busyBackground(): { turns: number } {
  const background = { turns: 0 };
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const work = async () => {
    while (!isOver) {
      await yieldToEventLoop();
      background.turns++;
    }
  };
  for (let server = 0; server < SERVERS; server++) void work();
  return background;
}

const SERVERS = 300;

describe("Exposition", () => {
  test("renders every two seconds with frequent commits, and immediately with rare ones", async () => {
    const clock = new ManualClock();
    const { store, exposition, rendered, objects } = setUp(clock);
    exposition.start();
    let value = 0;
    const slot = objects.add(["hq", "probe"]);
    const commit = () => store.commit(() => objects.set(slot, value++));
    for (let commits = 0; commits < 600; commits++) {
      await commit();
      await clock.advance(100);
    }
    expect(rendered.length).toBeGreaterThan(30);
    expect(rendered.length).toBeLessThan(60);
    await clock.advance(10_000);
    for (const at of [1, 2]) {
      const before = rendered.length;
      await commit();
      await exposition.upToDate();
      expect([at, rendered.length]).toEqual([at, before + 1]);
      await clock.advance(10_000);
    }
  });

  test("writes families with samples once and ends OpenMetrics with EOF", async () => {
    const { store, objects, text } = setUp();
    await store.commit(() => {
      objects.set(objects.add(["hq", "probe"]), 3);
      objects.set(objects.add(["lab", "probe"]), 1);
    });
    expect(await text()).toBe(
      [
        "# HELP prtg_objects Objects per kind (GET /objects/count).",
        "# TYPE prtg_objects gauge",
        'prtg_objects{server="hq",kind="probe"} 3',
        'prtg_objects{server="lab",kind="probe"} 1',
        "",
      ].join("\n"),
    );
    expect(await text(OPENMETRICS)).toBe(
      [
        "# TYPE prtg_objects gauge",
        "# HELP prtg_objects Objects per kind (GET /objects/count).",
        'prtg_objects{server="hq",kind="probe"} 3',
        'prtg_objects{server="lab",kind="probe"} 1',
        "# EOF",
        "",
      ].join("\n"),
    );
  });

  test("gives the same page gzipped, in every format", async () => {
    const { store, objects, exposition, text } = setUp();
    await store.commit(() => {
      for (let index = 0; index < 10_000; index++) objects.set(objects.add(["hq", `kind ${index}`]), index);
    });
    for (const format of [TEXT, OPENMETRICS, DOTS]) {
      const gzipped = Buffer.concat(await exposition.page(format, "gzip"));
      expect(gunzipSync(gzipped).toString()).toBe(await text(format));
    }
    expect(parsePage(await text()).size).toBe(10_000);
    expect((await text(DOTS)).split("\n")[1]).toBe("# TYPE prtg__objects gauge");
  });

  test("follows commits and renders nothing without changes", async () => {
    const { store, objects, exposition, rendered, text } = setUp();
    exposition.start();
    await text();
    const slot = objects.add(["hq", "probe"]);
    await store.commit(() => objects.set(slot, 3));
    await exposition.refresh();
    expect(await text()).toContain('prtg_objects{server="hq",kind="probe"} 3');
    const before = rendered.length;
    await store.commit(() => objects.set(slot, 3));
    await exposition.refresh();
    await text();
    expect(rendered.length).toBe(before);
  });

  test("removes expired values from the page without a commit", async () => {
    const clock = new ManualClock();
    const { store, objects, exposition, text } = setUp(clock);
    exposition.start();
    await store.commit(() => objects.set(objects.add(["hq", "probe"]), 3, clock.monotonic() + 1_500));
    expect(await text()).toContain("prtg_objects{");
    await clock.advance(1_499);
    await exposition.refresh();
    expect(await text()).toContain("prtg_objects{");
    // Checked every second, then rendered over several turns.
    const later = async () => {
      await clock.advance(1_000);
      return text();
    };
    await expect.poll(later, { timeout: 20_000 }).not.toContain("prtg_objects{");
  });

  test("groups commits into one refresh by the duration of the last one", async () => {
    const clock = new ManualClock();
    // 10 ms per clock reading.
    let passed = 0;
    const slow: Clock = {
      now: () => clock.now(),
      monotonic: () => {
        passed += 10;
        return clock.monotonic() + passed;
      },
      after: (ms, act) => clock.after(ms, act),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
    const { store, objects, rendered, exposition } = setUp(slow);
    exposition.start();
    const slot = objects.add(["hq", "probe"]);
    await store.commit(() => objects.set(slot, 1));
    await expect.poll(() => rendered.length).toBeGreaterThan(0);
    await exposition.refresh();
    const before = rendered.length;
    for (let value = 2; value < 20; value++) {
      await store.commit(() => objects.set(slot, value));
      await new Promise(setImmediate);
    }
    expect(rendered.length).toBe(before);
    await clock.advance(1_000);
    await expect.poll(() => rendered.length).toBe(before + 1);
  });

  test("reports when the page has all earlier commits", async () => {
    const clock = new ManualClock();
    const { store, objects, rendered, exposition } = setUp(clock);
    exposition.start();
    await exposition.upToDate();
    const before = rendered.length;
    await store.commit(() => objects.set(objects.add(["hq", "probe"]), 1));
    await exposition.upToDate();
    expect(rendered.length).toBe(before + 1);
    await exposition.upToDate();
    expect(rendered.length).toBe(before + 1);
  });

  test("renders a page before background work, with its prerequisites", async () => {
    const { store, objects, exposition, text } = setUp();
    const slots: number[] = [];
    await store.commit(() => {
      for (let index = 0; index < 30_000; index++) slots.push(objects.add(["hq", `kind ${index}`]));
    });
    const setAll = (value: number) => {
      for (const slot of slots) objects.set(slot, value);
    };
    await store.commit(() => setAll(1));
    // Kept ready from here on.
    await text(TEXT);
    const background = busyBackground();
    const committing = store.commit(async () => {
      setAll(2);
      for (let piece = 0; piece < 30; piece++) await yieldToEventLoop(store.lane);
    });
    const refreshing = exposition.refresh();
    await yieldToEventLoop();
    const before = background.turns;
    const page = await text(OPENMETRICS);
    // A third of the steps. Without its own lane, each would wait for all servers.
    expect(background.turns - before).toBeLessThan(SERVERS);
    expect(page).toContain('prtg_objects{server="hq",kind="kind 29999"} 2\n');
    await Promise.all([committing, refreshing]);
  });

  test("serves current exporter metrics after a cached page", async () => {
    const { store, objects, rendered, registry, exposition } = setUp();
    let series = 0;
    const metrics = new ExporterMetrics({ version: "1.2.3", revision: "abc" }, () => [["prtg_objects", ++series]]);
    const own = new Exposition({ store, registry: metrics.registry, clock: systemClock, observer: { rendered() {} } });
    const recorder = serverRecorder(metrics, "hq");
    recorder.requestDuration({ endpoint: "/health" }, 0.02);
    recorder.requests({ endpoint: "/health", code: "204" });
    await store.commit(() => objects.set(objects.add(["hq", "probe"]), 3));
    const pages = [await own.page(OPENMETRICS, "identity"), await own.page(OPENMETRICS, "identity")];
    const [first, second] = pages.map((page) => Buffer.concat(page).toString());
    expect(first).toContain('prtg_exporter_series{family="prtg_objects"} 1\n');
    expect(second).toContain('prtg_exporter_series{family="prtg_objects"} 2\n');
    expect(first).toContain("# TYPE prtg_exporter_api_requests counter\n");
    expect(first).toContain('prtg_exporter_api_requests_total{server="hq",code="204"} 1\n');
    expect(first).toContain('prtg_exporter_api_request_duration_seconds_bucket{le="0.025",server="hq"} 1\n');
    expect(first?.endsWith("# EOF\n")).toBe(true);
    expect(registry.getMetricsAsArray()).toEqual([]);
    expect(rendered).toEqual([]);
    exposition.stop();
    own.stop();
  });

  test("renders the exporter's own metrics once for all waiting readers", async () => {
    const { registry, text } = setUp();
    let readings = 0;
    const collect = () => void readings++;
    new Gauge({ name: "prtg_exporter_http_connections", help: "Connections.", registers: [registry], collect });
    expect(await text()).toContain("prtg_exporter_http_connections 0\n");
    const pages = await Promise.all([text(), text(), text(), text()]);
    expect(new Set(pages).size).toBe(1);
    expect(readings).toBeLessThan(5);
    const before = readings;
    await text();
    await text();
    expect(readings).toBe(before + 2);
  });

  test("applies a new limit to the page in progress", async () => {
    const { store, objects, registry } = setUp();
    let isLimited = false;
    const exposition = new Exposition({
      ...{ store, registry, clock: systemClock },
      observer: {
        rendered() {
          if (!isLimited) exposition.limit({ maxSeries: 1, maxBytes: undefined });
          isLimited = true;
        },
      },
    });
    running.push(exposition);
    await store.commit(() => {
      for (const shardKey of [1, 2, 3]) objects.set(objects.add(["hq", `kind ${shardKey}`], shardKey), 1);
    });
    await exposition.page(TEXT, "identity");
    await exposition.refresh();
    expect(parsePage(Buffer.concat(await exposition.page(TEXT, "identity")).toString()).size).toBe(1);
  });

  test("reports the size of the largest page in each format and encoding", async () => {
    const store = new Store(Object.values(TREE_FAMILIES));
    let reported = { gzip: 0, identity: 0 };
    const observer: ExpositionObserver = {
      rendered: (_format, _seconds, bytes) => {
        reported = bytes;
      },
    };
    const exposition = new Exposition({ store, registry: new Registry(), clock: new ManualClock(), observer });
    running.push(exposition);
    const size = async (format: NegotiatedFormat, shard?: Shard) => {
      await exposition.page(format, "gzip", shard);
      return reported;
    };
    const objects = store.table(TREE_FAMILIES.objects);
    const slots = Array.from({ length: 100 }, (_, shardKey) => objects.add(["hq", `kind ${shardKey}`], shardKey));
    await store.commit(() => {
      for (const slot of slots) objects.set(slot, 1);
    });
    const half = { index: 1, count: 2 };
    const whole = await size(OPENMETRICS);
    expect(whole.identity).toBeGreaterThan(4_000);
    expect(whole.gzip).toBeLessThan(whole.identity / 2);
    expect((await size(TEXT, half)).identity).toBeLessThan(whole.identity);
    expect(await size(OPENMETRICS, half)).toEqual(whole);
    // Its own former size does not count.
    await store.commit(() => {
      for (const slot of slots) objects.withdraw(slot);
    });
    await exposition.refresh();
    expect(reported.identity).toBeLessThan(100);
  });
});
