import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { Counter, Gauge, Registry } from "prom-client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { OTLP_PROTOCOLS } from "../../src/otlp/environment.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { type StatePushOptions, startStatePush } from "../../src/otlp/state-push.ts";
import { Store } from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { isProbe, startReceiver } from "./support/otlp-http-receiver.ts";
import { channelLabels } from "./support/rows.ts";

const NOON = Date.UTC(2026, 0, 15, 12) + 250;

function sensorLabels(id: number): readonly string[] {
  return ["hq", String(id), "Local Probe", "Network", `switch-${id}`, `Ping ${id}`, `Local Probe/Network/Ping ${id}`];
}

function storeOf(sensors: number): Store {
  const store = new Store(Object.values(TREE_FAMILIES));
  const codes = store.table(TREE_FAMILIES.sensorStatusCode);
  for (let id = 0; id < sensors; id++) codes.set(codes.add(sensorLabels(id)), id % 15);
  return store;
}

async function testPush(section: OtlpSection, options: Partial<StatePushOptions> = {}) {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const clock = new ManualClock(NOON);
  const observer = recordedObserver();
  const push = startStatePush({
    exporter: await testExporter(section),
    observer,
    resource: RESOURCE,
    scope: SCOPE,
    store: storeOf(3),
    registry: new Registry(),
    countingSince: NOON - 60_000,
    measured: new Set([TREE_FAMILIES.channelValue.name]),
    ends: { endOf: () => undefined, holds: () => false },
    sensorStatus: "current",
    intervalMs: 3_600_000,
    timeoutMs: 30_000,
    clock,
    log: pino({ level: "debug" }, { write: (line) => void lines.push(JSON.parse(line)) }),
    ...options,
  });
  onTestFinished(() => push.stop(0));
  return { push, observer, clock, lines };
}

test.each(OTLP_PROTOCOLS)(
  "more series of a metric arrive than instruments of the SDK permit, over %s",
  async (protocol) => {
    const receiver = await startReceiver();
    const section = { endpoint: receiver.url, protocol, maxRequestBytes: 500_000 };
    const { push, observer } = await testPush(section, { store: storeOf(5_000) });
    await push.flush();
    expect(receiver.requests.length).toBeGreaterThan(1);
    expect(Math.max(...receiver.requests.map(({ body }) => body.length))).toBeLessThanOrEqual(500_000);
    expect(receiver.points.map(({ attributes, value }) => [attributes.sensor_id, value])).toEqual(
      Array.from({ length: 5_000 }, (_, id) => [String(id), id % 15]),
    );
    expect(observer.counts).toEqual({ "delivered state": 5_000 });
  },
);

test("a push has statuses as codes, exporter metrics and one resource", async () => {
  const receiver = await startReceiver();
  const store = storeOf(1);
  const values = store.table(TREE_FAMILIES.channelValue);
  values.set(values.add(channelLabels("40", "0")), 7);
  const statuses = store.table(TREE_FAMILIES.sensorStatus);
  statuses.set(statuses.add([...sensorLabels(0), "up"]), 1);
  const states = store.table(TREE_FAMILIES.channelState);
  states.set(states.add([...channelLabels("40", "0"), "Closed"]), 1);
  const intervals = store.table(TREE_FAMILIES.sensorInterval);
  intervals.set(intervals.add(sensorLabels(0)), 60);
  const registry = new Registry();
  new Counter({ name: "prtg_exporter_scrapes_total", help: "Pages.", registers: [registry] }).inc(4);
  const { push } = await testPush({ endpoint: receiver.url }, { store, registry, ends: undefined });
  await push.flush();
  // The exporter's own metrics have a request of their own.
  expect(receiver.requests.map(({ batches }) => batches.flatMap(({ metrics }) => metrics.length))).toEqual([[2], [1]]);
  const [resource, ...others] = receiver.requests.flatMap(({ batches }) => batches);
  expect(resource).toMatchObject({
    resource: { "service.name": "prtg-exporter", "service.instance.id": "one" },
    scope: SCOPE,
  });
  for (const other of others) expect(other.resource).toEqual(resource?.resource);
  const now = BigInt(NOON) * 1_000_000n;
  const { server: _, ...labels } = Object.fromEntries(
    TREE_FAMILIES.sensorStatusCode.labels.map((name, index) => [name, sensorLabels(0)[index]]),
  );
  expect(receiver.metrics).toMatchObject([
    {
      name: "prtg.sensor_status_code",
      unit: "",
      type: "gauge",
      points: [{ attributes: { server: "hq", ...labels }, time: now, start: 0n, value: 0 }],
    },
    { name: "prtg.sensor_interval_seconds", unit: "s", type: "gauge", points: [{ time: now, value: 60 }] },
    {
      name: "prtg.exporter_scrapes_total",
      type: "sum",
      monotonic: true,
      temporality: 2,
      points: [{ attributes: {}, start: BigInt(NOON - 60_000) * 1_000_000n, time: now, value: 4 }],
    },
  ]);
});

test("counters are cumulative for any temporality preference", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta");
  onTestFinished(() => void vi.unstubAllEnvs());
  const receiver = await startReceiver();
  const registry = new Registry();
  const counter = new Counter({ name: "prtg_exporter_scrapes_total", help: "Pages.", registers: [registry] });
  const { push } = await testPush({ endpoint: receiver.url }, { store: storeOf(0), registry });
  for (let scrape = 0; scrape < 2; scrape++) {
    counter.inc();
    await push.flush();
  }
  expect(receiver.metrics).toMatchObject([
    { temporality: 2, points: [{ value: 1 }] },
    { temporality: 2, points: [{ value: 2 }] },
  ]);
});

test("a push includes all statuses as 0 and 1 if configured", async () => {
  const receiver = await startReceiver();
  const store = storeOf(0);
  const statuses = store.table(TREE_FAMILIES.sensorStatus);
  statuses.set(statuses.add([...sensorLabels(0), "up"]), 1);
  statuses.set(statuses.add([...sensorLabels(0), "down"]), 0);
  const { push } = await testPush({ endpoint: receiver.url }, { store, sensorStatus: "all" });
  await push.flush();
  expect(receiver.points.map(({ attributes, value }) => [attributes.status, value])).toEqual([
    ["up", 1],
    ["down", 0],
  ]);
});

test("a push omits expired values and invalid numbers", async () => {
  const receiver = await startReceiver();
  const store = storeOf(0);
  const codes = store.table(TREE_FAMILIES.sensorStatusCode);
  codes.set(codes.add(sensorLabels(0)), 3, 1_000);
  codes.set(codes.add(sensorLabels(1)), 3, 2_000);
  codes.set(codes.add(sensorLabels(2)), Number.POSITIVE_INFINITY);
  const { push, clock } = await testPush({ endpoint: receiver.url }, { store });
  await clock.advance(1_500);
  await push.flush();
  expect(receiver.points.map(({ attributes }) => attributes.sensor_id)).toEqual(["1"]);
});

test("a failed part causes a log line, and the others arrive", async () => {
  const receiver = await startReceiver();
  const registry = new Registry();
  new Gauge({
    name: "prtg_broken",
    help: "Broken.",
    registers: [registry],
    collect() {
      throw new Error("no value today");
    },
  });
  const { push, lines } = await testPush({ endpoint: receiver.url }, { registry });
  await push.flush();
  expect(receiver.points).toHaveLength(3);
  expect(lines).toMatchObject([{ level: 50, msg: expect.stringContaining("cannot read a part") }]);
});

test("pushes come at the interval", async () => {
  const receiver = await startReceiver();
  await testPush({ endpoint: receiver.url }, { intervalMs: 20, timeoutMs: 20 });
  expect(await receiver.until(3)).toHaveLength(3);
});

describe("failed push", () => {
  test("is retried with the next one, and the log reports start and end", async () => {
    const busy = { status: 503, headers: { "retry-after": "0" } };
    const receiver = await startReceiver((request) => (request < 2 ? busy : undefined));
    const { push, observer, lines } = await testPush({ endpoint: receiver.url });
    for (let times = 0; times < 4; times++) await push.flush();
    expect(receiver.requests).toHaveLength(4);
    expect(observer.counts).toEqual({ "failed state": 2, "delivered state": 6 });
    expect(lines).toMatchObject([
      { level: 40, msg: expect.stringContaining("HTTP 503 Service Unavailable") },
      { level: 30, msg: expect.stringContaining("works again") },
    ]);
  });

  test("is logged with each new reason, also if reasons alternate", async () => {
    const receiver = await startReceiver((request) => ({
      status: request % 2 === 0 ? 503 : 502,
      headers: { "retry-after": "0" },
    }));
    const { push, lines } = await testPush({ endpoint: receiver.url });
    for (let times = 0; times < 3; times++) await push.flush();
    expect(lines.map(({ msg }) => /HTTP \d+/.exec(msg)?.[0])).toEqual(["HTTP 503", "HTTP 502", "HTTP 503"]);
  });

  test("counts its points as rejected if the receiver accepts the probe", async () => {
    const receiver = await startReceiver((_, seen) => (isProbe(seen) ? undefined : { status: 400 }));
    const { push, observer, lines } = await testPush({ endpoint: receiver.url, compression: "none" });
    await push.flush();
    expect(observer.counts).toMatchObject({ "rejected state": 3 });
    expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining("HTTP 400") }]);
  });

  test("counts nothing as rejected if the receiver rejects everything", async () => {
    const receiver = await startReceiver(() => ({ status: 400 }));
    const { push, observer } = await testPush({ endpoint: receiver.url, compression: "none" });
    await push.flush();
    expect(observer.counts).toEqual({ "failed state": 1 });
  });

  test("continues in the middle of a metric, and has each point once", async () => {
    const sensors: string[] = [];
    let left = 2;
    const receiver = await startReceiver((_, { batches }) => {
      if (left-- <= 0) return { status: 503, headers: { "retry-after": "0" } };
      for (const { points } of batches.flatMap(({ metrics }) => metrics))
        sensors.push(...points.map(({ attributes }) => String(attributes.sensor_id)));
      return undefined;
    });
    const { push } = await testPush({ endpoint: receiver.url, maxRequestBytes: 16_384 }, { store: storeOf(200) });
    await push.flush();
    const first = sensors.length;
    expect(first).toBeLessThan(200);
    left = Number.POSITIVE_INFINITY;
    await push.flush();
    expect(new Set(sensors.slice(first)).size).toBe(200);
    expect(sensors).toHaveLength(first + 200);
  });

  test("does not keep the other contents from a slow receiver", async () => {
    const registry = new Registry();
    new Counter({ name: "prtg_exporter_scrapes_total", help: "Pages.", registers: [registry] }).inc();
    const accepted = new Set<string>();
    let left = 0;
    const receiver = await startReceiver((_, { batches }) => {
      if (left-- <= 0) return { status: 503, headers: { "retry-after": "0" } };
      for (const { name, points } of batches.flatMap(({ metrics }) => metrics))
        for (const { attributes } of points) accepted.add(`${name} ${attributes.sensor_id ?? ""}`.trim());
      return undefined;
    });
    const section = { endpoint: receiver.url, maxRequestBytes: 16_384 };
    const { push } = await testPush(section, { store: storeOf(300), registry });
    const wanted = 301;
    let pushes = 0;
    // Each push ends after two requests.
    for (; accepted.size < wanted && pushes < 20; pushes++) {
      left = 2;
      await push.flush();
    }
    expect(accepted.size).toBe(wanted);
  });

  test("counts the rejected part", async () => {
    const body = JSON.stringify({ partialSuccess: { rejectedDataPoints: 1, errorMessage: "too many series" } });
    const receiver = await startReceiver(() => ({ headers: { "content-type": "application/json" }, body }));
    const { push, observer, lines } = await testPush({ endpoint: receiver.url });
    await push.flush();
    expect(observer.counts).toEqual({ "delivered state": 2, "rejected state": 1 });
    expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining("too many series") }]);
  });

  test("waits for the push before, and sends only the newest state then", async () => {
    const answers = Promise.withResolvers<void>();
    const receiver = await startReceiver((request) =>
      request === 0 ? (response) => void answers.promise.then(() => response.end()) : undefined,
    );
    const { push, observer, clock } = await testPush({ endpoint: receiver.url });
    const flushed = [push.flush()];
    await receiver.until(1);
    for (let later = 0; later < 2; later++) {
      await clock.advance(1_000);
      flushed.push(push.flush());
      await sleep(20);
    }
    expect(receiver.requests).toHaveLength(1);
    answers.resolve();
    await Promise.all(flushed);
    const points = receiver.requests.map(({ batches }) => batches.flatMap(({ metrics }) => metrics)[0]?.points[0]);
    expect(points.map((point) => Number((point?.time ?? 0n) / 1_000_000n) - NOON)).toEqual([0, 2_000]);
    expect(observer.counts).toEqual({ "delivered state": 6 });
  });

  test("ends at the timeout", async () => {
    const receiver = await startReceiver((request) => (request === 0 ? () => undefined : undefined));
    const { push, observer, clock } = await testPush(
      { endpoint: receiver.url, timeoutMs: 3_600_000 },
      { timeoutMs: 5_000 },
    );
    const flushed = push.flush();
    await receiver.until(1);
    await clock.advance(5_000);
    await flushed;
    expect(observer.counts).toEqual({ "failed state": 1 });
    await push.flush();
    expect(observer.counts).toEqual({ "failed state": 1, "delivered state": 3 });
  });
});

describe("stopping", () => {
  test("pushes once more", async () => {
    const receiver = await startReceiver();
    const { push } = await testPush({ endpoint: receiver.url });
    await push.stop(10_000);
    expect(receiver.points).toHaveLength(3);
  });

  test("waits at most for the grace time", async () => {
    const receiver = await startReceiver(() => () => undefined);
    const { push, observer, lines } = await testPush({ endpoint: receiver.url });
    // The SDK's own timer. A busy machine may start too late.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const stopped = push.stop(5_000);
    await receiver.until(1);
    await vi.advanceTimersByTimeAsync(5_000);
    await stopped;
    expect(receiver.requests).toHaveLength(1);
    expect(observer.counts).toEqual({});
    expect(lines).toHaveLength(1);
  });
});
