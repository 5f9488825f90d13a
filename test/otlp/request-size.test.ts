import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { MeasurementRow, SettledRows } from "../../src/measurements/measurement.ts";
import { OTLP_PROTOCOLS } from "../../src/otlp/environment.ts";
import { RequestSize } from "../../src/otlp/exporter.ts";
import { type MeasurementSinkOptions, OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { never } from "../support/never-aborted.ts";
import { runs } from "../support/runs.ts";
import { deliverRows, RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { type SeenRequest, startReceiver } from "./support/otlp-http-receiver.ts";
import { channelLabels, describeAll, NOON, row } from "./support/rows.ts";

async function testSink(section: OtlpSection, describe: MeasurementSinkOptions["describe"] = describeAll) {
  const exporter = await testExporter(section);
  const observer = recordedObserver();
  const sink = new OtlpMeasurementSink({ exporter, resource: RESOURCE, scope: SCOPE, describe, observer });
  return { sink, observer };
}

/** With the number of points. */
function rowsIn({ batches }: SeenRequest): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { attributes, time } of batches.flatMap(({ metrics }) => metrics.flatMap(({ points }) => points))) {
    const key = `${attributes.sensor_id} ${time}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function expectedRows(rows: readonly MeasurementRow[]): [string, number][] {
  return rows
    .filter(({ values }) => values.length > 0)
    .map(({ sensorId, at, values }) => [`${sensorId} ${BigInt(at) * 1_000_000n}`, values.length]);
}

/** Equal weight, one to six bytes per letter. */
const ALPHABETS = ["a", "é", "界", "\u{1f600}", "\u0001", '"'];

describe.each(OTLP_PROTOCOLS)("requests over %s", (protocol) => {
  test("respect the limit with any names and never split a row", async () => {
    const receiver = await startReceiver();
    const shape = fc.record({
      channels: fc.integer({ min: 0, max: 30 }),
      letters: fc.integer({ min: 0, max: 300 }),
      alphabet: fc.constantFrom(...ALPHABETS),
    });
    let sensors = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(shape, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 2_000, max: 60_000 }),
        async (shapes, maxRequestBytes) => {
          const first = receiver.requests.length;
          const names = new Map<string, string>();
          const rows = shapes.map(({ channels, letters, alphabet }, index) => {
            const sensorId = `${sensors++}`;
            names.set(sensorId, alphabet.repeat(letters));
            return row(sensorId, NOON + index, channels);
          });
          const { sink, observer } = await testSink(
            { endpoint: receiver.url, protocol, maxRequestBytes },
            (sensorId, channelId) => [
              { family: TREE_FAMILIES.channelValue, labels: channelLabels(sensorId, channelId, names.get(sensorId)) },
            ],
          );
          expect(await deliverRows(sink, rows, never)).toMatchObject({ kind: "accepted", rejectedPoints: 0 });
          const seen = receiver.requests.slice(first).map((request) => ({ request, rows: rowsIn(request) }));
          for (const { request, rows: inside } of seen) {
            if (inside.size > 1) expect(request.body.length).toBeLessThanOrEqual(maxRequestBytes);
          }
          expect(seen.flatMap(({ rows: inside }) => [...inside])).toEqual(expectedRows(rows));
          const points = rows.reduce((sum, { values }) => sum + values.length, 0);
          expect(observer.counts).toEqual(points === 0 ? {} : { "delivered live": points });
        },
      ),
      { numRuns: runs(100) },
    );
  });

  test("stay under 4 MiB by default, but are not small", async () => {
    const receiver = await startReceiver();
    const { sink } = await testSink({ endpoint: receiver.url, protocol }, (sensorId, channelId) => [
      { family: TREE_FAMILIES.channelValue, labels: channelLabels(sensorId, channelId, "long ".repeat(300)) },
    ]);
    const rows = Array.from({ length: 300 }, (_, sensor) => row(String(sensor), NOON, 10));
    await deliverRows(sink, rows, never);
    const sizes = receiver.requests.map(({ body }) => body.length);
    expect(Math.max(...sizes)).toBeLessThan(4 * 1024 * 1024);
    // Except the first and the last.
    expect(Math.min(...sizes.slice(1, -1))).toBeGreaterThan(256 * 1024);
    expect(receiver.requests.flatMap((request) => [...rowsIn(request)])).toEqual(expectedRows(rows));
  });

  test("have labels of their own rows only, so that a long delivery needs little memory", async () => {
    let described = 0;
    const atRequest: number[] = [];
    const receiver = await startReceiver(() => void atRequest.push(described));
    const { sink } = await testSink({ endpoint: receiver.url, protocol, maxRequestBytes: 200_000 }, (...channel) => {
      described++;
      return describeAll(...channel);
    });
    const rows = Array.from({ length: 200 }, (_, sensor) => row(String(sensor), NOON, 20));
    await deliverRows(sink, rows, never);
    expect(described).toBe(4_000);
    expect(atRequest[0]).toBeLessThan(2_000);
  });

  test.each([
    ["413", { status: 413 }],
    ["400", { status: 400, headers: { "content-type": "text/plain" }, body: "http: request body too large" }],
  ])("split for a receiver that rejects their size with %s, and stay split", async (_, answer) => {
    const receiver = await startReceiver((_, { body }) => (body.length > 100_000 ? answer : undefined));
    const { sink, observer } = await testSink({ endpoint: receiver.url, protocol, compression: "none" });
    const rows = Array.from({ length: 60 }, (_, sensor) => row(String(sensor), NOON, 30));
    expect(await deliverRows(sink, rows, never)).toMatchObject({ kind: "accepted", rejectedPoints: 0 });
    const taken = receiver.requests.filter(({ body }) => body.length <= 100_000);
    expect(taken.flatMap((request) => [...rowsIn(request)])).toEqual(expectedRows(rows));
    expect(receiver.requests.length - taken.length).toBeLessThanOrEqual(4);
    const asked = receiver.requests.length;
    await deliverRows(
      sink,
      rows.map((known) => ({ ...known, at: known.at + 60_000 })),
      never,
    );
    expect(receiver.requests.slice(asked).every(({ body }) => body.length <= 100_000)).toBe(true);
    expect(observer.counts).toEqual({ "delivered live": 3_600 });
  });
});

test("a single row that is too large fails, and others arrive", async () => {
  const receiver = await startReceiver((_, { body }) => (body.length > 60_000 ? { status: 413 } : undefined));
  const { sink, observer } = await testSink({ endpoint: receiver.url, protocol: "http/json" });
  const rows = [row("40", NOON, 5), row("41", NOON, 200), row("42", NOON, 5)];
  const outcome = { kind: "accepted", rejectedPoints: 200, message: "HTTP 413 Payload Too Large" };
  expect(await deliverRows(sink, rows, never)).toEqual(outcome);
  expect(receiver.points.map(({ attributes }) => attributes.sensor_id)).toEqual([
    ...Array.from({ length: 5 }, () => "40"),
    ...Array.from({ length: 5 }, () => "42"),
  ]);
  expect(observer.counts).toEqual({ "delivered live": 10, "refused live": 1, "rejected live": 200 });
});

test("a request that is refused once loses nothing", async () => {
  const receiver = await startReceiver((request) => (request === 1 ? { status: 400 } : undefined));
  const { sink, observer } = await testSink({ endpoint: receiver.url, maxRequestBytes: 20_000 });
  const rows = Array.from({ length: 20 }, (_, sensor) => row(String(sensor), NOON, 20));
  expect(await deliverRows(sink, rows, never)).toEqual({ kind: "accepted", rejectedPoints: 0, message: "" });
  expect(receiver.points).toHaveLength(400);
  expect(observer.counts).toEqual({ "delivered live": 400 });
});

test("rows are settled after each request, so that a retry has only the others", async () => {
  const busy = { status: 503, headers: { "retry-after": "0" } };
  const receiver = await startReceiver((request) => (request === 2 ? busy : undefined));
  const { sink, observer } = await testSink({ endpoint: receiver.url, maxRequestBytes: 20_000 });
  const rows = Array.from({ length: 20 }, (_, minute) => row("40", NOON + minute * 60_000, 20));
  const settled: MeasurementRow[] = [];
  const onSettled = (part: SettledRows) => void settled.push(...part.rows);
  expect(await sink.deliver(rows, { signal: never, onSettled })).toMatchObject({ kind: "failed", retryAfterMs: 0 });
  expect(receiver.requests).toHaveLength(3);
  expect(settled).toEqual(rows.slice(0, settled.length));
  expect(settled.length * 20).toBe(receiver.points.length);
  await deliverRows(sink, rows.slice(settled.length));
  expect(receiver.requests.filter((_, request) => request !== 2).flatMap((seen) => [...rowsIn(seen)])).toEqual(
    expectedRows(rows),
  );
  expect(observer.counts).toEqual({ "delivered live": 400, "failed live": 1 });
});

test("no request begins after the stop", async () => {
  const stop = new AbortController();
  const receiver = await startReceiver((request) => {
    if (request === 1) stop.abort();
    return undefined;
  });
  const { sink } = await testSink({ endpoint: receiver.url, maxRequestBytes: 20_000 });
  const rows = Array.from({ length: 20 }, (_, minute) => row("40", NOON + minute * 60_000, 20));
  const settled: MeasurementRow[] = [];
  const onSettled = (part: SettledRows) => void settled.push(...part.rows);
  await sink.deliver(rows, { signal: never, stop: stop.signal, onSettled });
  expect(receiver.requests).toHaveLength(2);
  expect(settled.length * 20).toBe(receiver.points.length);
});

test.each([
  ["413", { status: 413 }],
  [
    "400 about the size",
    { status: 400, headers: { "content-type": "text/plain" }, body: "http: request body too large" },
  ],
])("a %s to everything is an outage, and does not change the size of requests", async (_, answer) => {
  let isBroken = false;
  const receiver = await startReceiver(() => (isBroken ? answer : undefined));
  const { sink } = await testSink({ endpoint: receiver.url, compression: "none" });
  const rows = Array.from({ length: 50 }, (_, sensor) => row(String(sensor), NOON, 20));
  const requestsOf = async (kind: string): Promise<number> => {
    const before = receiver.requests.length;
    expect(await deliverRows(sink, rows)).toMatchObject({ kind });
    return receiver.requests.length - before;
  };
  await requestsOf("accepted");
  const usual = await requestsOf("accepted");
  isBroken = true;
  expect(await requestsOf("failed")).toBeLessThan(12);
  isBroken = false;
  expect(await requestsOf("accepted")).toBeLessThanOrEqual(usual + 1);
});

test("the learned limit has a minimum", () => {
  const size = new RequestSize(4_000_000);
  for (let times = 0; times < 30; times++) size.reduce(1_000);
  expect(size.fits(16 * 1024)).toBe(true);
  expect(size.fits(16 * 1024 + 1)).toBe(false);
});
