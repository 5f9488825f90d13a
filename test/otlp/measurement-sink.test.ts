import { expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { ValueSeries } from "../../src/mapping/rules/rule.ts";
import { UNCHANGED } from "../../src/mapping/units/base-units.ts";
import { type MeasurementSinkOptions, OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { never } from "../support/never-aborted.ts";
import { deliverRows, RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { isProbe, type Receiver, startReceiver } from "./support/otlp-http-receiver.ts";
import { channelLabels, describeAll, MAPPED, NOON, row } from "./support/rows.ts";

const PROTOCOLS = ["http/json", "http/protobuf"] as const;

async function testSink(
  receiver: Pick<Receiver, "url">,
  section: OtlpSection = {},
  describe: MeasurementSinkOptions["describe"] = describeAll,
) {
  const exporter = await testExporter({ endpoint: receiver.url, ...section });
  const observer = recordedObserver();
  const sink = new OtlpMeasurementSink({ exporter, resource: RESOURCE, scope: SCOPE, describe, observer });
  return { sink, observer };
}

test.each(PROTOCOLS)("rows arrive as gauge points with their time, in order, over %s", async (protocol) => {
  const receiver = await startReceiver();
  const { sink, observer } = await testSink(receiver, { protocol });
  const outcome = await deliverRows(sink, [row("40", NOON, 2), row("40", NOON + 60_001, 2), row("41", NOON, 1)], never);
  expect(outcome).toEqual({ kind: "accepted", rejectedPoints: 0, message: "" });
  expect(receiver.requests).toHaveLength(1);
  expect(receiver.requests[0]).toMatchObject({
    path: "/v1/metrics",
    headers: {
      "user-agent": "prtg-exporter/test",
      "content-type": protocol === "http/json" ? "application/json" : "application/x-protobuf",
    },
    batches: [
      {
        resource: { "service.name": "prtg-exporter", "service.instance.id": "one" },
        scope: { name: "prtg-exporter", version: "1.2.3" },
        metrics: [
          {
            name: "prtg.channel_value",
            unit: "",
            type: "gauge",
            description: TREE_FAMILIES.channelValue.help,
          },
        ],
      },
    ],
  });
  const point = (sensorId: string, channelId: string, after: number, value: number) => ({
    attributes: Object.fromEntries(
      TREE_FAMILIES.channelValue.labels.map((name, index) => [name, channelLabels(sensorId, channelId)[index]]),
    ),
    time: BigInt(NOON + after) * 1_000_000n,
    start: 0n,
    value,
    metric: "prtg.channel_value",
  });
  expect(receiver.points).toEqual([
    point("40", "0", 0, 0),
    point("40", "1", 0, 1 / 16),
    point("40", "0", 60_001, 60_001),
    point("40", "1", 60_001, 60_001 + 1 / 16),
    point("41", "0", 0, 0),
  ]);
  expect(observer.counts).toEqual({ "delivered live": 5 });
});

test("a channel goes to each of its metrics in the unit of each", async () => {
  const receiver = await startReceiver();
  const { sink } = await testSink(receiver, {}, (sensorId, channelId) => [
    ...describeAll(sensorId, channelId),
    { family: MAPPED, labels: ["hq", sensorId], conversion: { ...UNCHANGED, over: 1_000 } },
  ]);
  const values = [["0", 250] as const];
  await deliverRows(sink, [{ sensorId: "40", at: NOON, resolution: "live", values }], never);
  expect(receiver.metrics.map(({ name, unit, points }) => [name, unit, points[0]?.value])).toEqual([
    ["prtg.channel_value", "", 250],
    ["prtg.ping_time_seconds", "s", 0.25],
  ]);
});

test.each(PROTOCOLS)("lone surrogates become U+FFFD, and empty labels disappear, over %s", async (protocol) => {
  const receiver = await startReceiver();
  const { sink } = await testSink(receiver, { protocol }, (sensorId): ValueSeries[] => [
    { family: MAPPED, labels: ["", `${sensorId} \ud83d\ude00 \ud800 \u0000"\\\n`] },
  ]);
  await deliverRows(sink, [row("40", NOON, 1)], never);
  expect(receiver.points.map(({ attributes }) => attributes)).toEqual([
    { sensor_id: '40 \ud83d\ude00 \ufffd \u0000"\\\n' },
  ]);
});

test("the sink drops unknown channels and invalid numbers and counts them once", async () => {
  let available = false;
  const receiver = await startReceiver(() => (available ? undefined : { status: 503 }));
  const { sink, observer } = await testSink(receiver, {}, (sensorId, channelId) =>
    channelId === "9" ? undefined : describeAll(sensorId, channelId),
  );
  const values = [["0", 1] as const, ["9", 2] as const, ["1", Number.NaN] as const, ["2", -Infinity] as const];
  const rows = [
    { sensorId: "40", at: NOON, resolution: "live" as const, values },
    { sensorId: "41", at: NOON, resolution: "live" as const, values: [["9", 1] as const] },
  ];
  await deliverRows(sink, rows, never);
  available = true;
  expect(await deliverRows(sink, rows, never)).toMatchObject({ kind: "accepted", rejectedPoints: 0 });
  expect(receiver.points.map(({ value }) => value)).toEqual([1]);
  expect(observer.counts).toEqual({ "failed live": 6, "delivered live": 1, "skipped live": 4 });
});

test("an empty delivery sends no request", async () => {
  const receiver = await startReceiver();
  const { sink } = await testSink(receiver, {}, () => undefined);
  expect(await deliverRows(sink, [row("40", NOON, 3)], never)).toEqual({
    kind: "accepted",
    rejectedPoints: 0,
    message: "",
  });
  expect(await deliverRows(sink, [], never)).toEqual({ kind: "accepted", rejectedPoints: 0, message: "" });
  expect(receiver.requests).toHaveLength(0);
});

test.each([
  {
    protocol: "http/json" as const,
    contentType: "application/json",
    // JSON encodes 64-bit numbers as strings.
    body: JSON.stringify({ partialSuccess: { rejectedDataPoints: "2", errorMessage: "out of\norder" } }),
  },
  {
    protocol: "http/protobuf" as const,
    contentType: "application/x-protobuf",
    body: Uint8Array.from([10, 16, 8, 2, 18, 12, ...Buffer.from("out of\norder")]),
  },
])("the sink reads a partial success over $protocol", async ({ protocol, contentType, body }) => {
  const receiver = await startReceiver(() => ({ headers: { "content-type": contentType }, body }));
  const { sink, observer } = await testSink(receiver, { protocol });
  expect(await deliverRows(sink, [row("40", NOON, 5)], never)).toEqual({
    kind: "accepted",
    rejectedPoints: 2,
    message: "out of order",
  });
  expect(observer.counts).toEqual({ "delivered live": 3, "rejected live": 2 });
});

test("a partial rejection counts against the coarsest resolution of a request", async () => {
  const body = JSON.stringify({ partialSuccess: { rejectedDataPoints: 4 } });
  const receiver = await startReceiver(() => ({ headers: { "content-type": "application/json" }, body }));
  const { sink, observer } = await testSink(receiver);
  await deliverRows(sink, [row("40", NOON, 3, "short"), row("40", NOON + 1, 3, "live")], never);
  expect(observer.counts).toEqual({ "rejected short": 3, "rejected live": 1, "delivered live": 2 });
});

const REJECTION = { status: 400, headers: { "content-type": "text/plain" }, body: "bad\ndata" };

test("a rejection is final if the receiver accepts the probe", async () => {
  const receiver = await startReceiver((_, seen) => (isProbe(seen) ? undefined : REJECTION));
  const { sink, observer } = await testSink(receiver, { compression: "none" });
  const rows = [row("40", NOON, 3, "short")];
  const message = "HTTP 400 Bad Request: bad data";
  expect(await deliverRows(sink, rows, never)).toEqual({ kind: "accepted", rejectedPoints: 3, message });
  expect(observer.counts).toEqual({ "refused short": 1, "rejected short": 3 });
  expect(receiver.requests.map(isProbe)).toEqual([false, true, false, true, false]);
});

test("a receiver that rejects the probe, too, fails the delivery", async () => {
  const receiver = await startReceiver(() => REJECTION);
  const { sink, observer } = await testSink(receiver, { compression: "none" });
  expect(await deliverRows(sink, [row("40", NOON, 3), row("41", NOON, 3)])).toEqual({
    kind: "failed",
    retryAfterMs: undefined,
    message: "HTTP 400 Bad Request: bad data",
  });
  expect(observer.counts).toEqual({ "failed live": 1 });
  expect(receiver.requests.map(isProbe)).toEqual([false, true]);
});

test("a receiver that rejects the probe in part accepts nothing", async () => {
  const body = JSON.stringify({ partialSuccess: { rejectedDataPoints: 1 } });
  const rejected = { headers: { "content-type": "application/json" }, body };
  const receiver = await startReceiver((_, seen) => (isProbe(seen) ? rejected : REJECTION));
  const { sink } = await testSink(receiver, { compression: "none" });
  expect(await deliverRows(sink, [row("40", NOON, 3)])).toMatchObject({ kind: "failed" });
});

test("the probe is a series of its own with the current time", async () => {
  const receiver = await startReceiver((request) => (request === 0 ? REJECTION : undefined));
  const { sink } = await testSink(receiver, { compression: "none" });
  const before = BigInt(Date.now()) * 1_000_000n;
  await deliverRows(sink, [row("40", NOON, 3)]);
  expect(receiver.requests[1]?.batches).toMatchObject([
    {
      resource: { "service.instance.id": "one" },
      metrics: [{ name: "prtg.exporter_otlp_probe", type: "gauge", points: [{ attributes: {}, value: 1 }] }],
    },
  ]);
  const time = receiver.requests[1]?.batches[0]?.metrics[0]?.points[0]?.time ?? 0n;
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(BigInt(Date.now()) * 1_000_000n);
});

test("a bad row costs no other row", async () => {
  const receiver = await startReceiver((_, { batches }) => {
    const points = batches.flatMap(({ metrics }) => metrics.flatMap((metric) => metric.points));
    return points.some(({ attributes }) => attributes.sensor_id === "43") ? REJECTION : undefined;
  });
  const { sink, observer } = await testSink(receiver, { compression: "none" });
  const rows = Array.from({ length: 20 }, (_, sensor) => row(`${40 + sensor}`, NOON, 2));
  expect(await deliverRows(sink, rows)).toMatchObject({ kind: "accepted", rejectedPoints: 2 });
  expect(receiver.points).toHaveLength(38);
  expect(observer.counts).toEqual({ "delivered live": 38, "refused live": 1, "rejected live": 2 });
});

test.each([429, 500, 502, 503, 507, 520])("a single answer of HTTP %i is retried at once", async (status) => {
  const receiver = await startReceiver((request) => (request === 0 ? { status } : undefined));
  const { sink, observer } = await testSink(receiver);
  expect(await deliverRows(sink, [row("40", NOON, 3)])).toMatchObject({ kind: "accepted", rejectedPoints: 0 });
  expect(receiver.requests).toHaveLength(2);
  expect(observer.counts).toEqual({ "failed live": 1, "delivered live": 3 });
});

test("a busy receiver gets one request, and the sink passes its pause on", async () => {
  const receiver = await startReceiver(() => ({ status: 503, headers: { "retry-after": "7" } }));
  const { sink, observer } = await testSink(receiver);
  expect(await deliverRows(sink, [row("40", NOON, 3)], never)).toEqual({
    kind: "failed",
    retryAfterMs: 7_000,
    message: "HTTP 503 Service Unavailable",
  });
  expect(observer.counts).toEqual({ "failed live": 1 });
  expect(receiver.requests).toHaveLength(1);
});

test("a delivery to a silent receiver ends at the timeout", async () => {
  const receiver = await startReceiver(() => () => undefined);
  const { sink } = await testSink(receiver, { timeoutMs: 50 });
  expect(await deliverRows(sink, [row("40", NOON, 1)], never)).toEqual({
    kind: "failed",
    retryAfterMs: undefined,
    message: "no answer within 0.05 s",
  });
});

test("a delivery ends at the timeout if the answer stops", async () => {
  const receiver = await startReceiver(() => (response) => response.writeHead(200).write("{"));
  const { sink } = await testSink(receiver, { timeoutMs: 50 });
  expect(await deliverRows(sink, [row("40", NOON, 1)], never)).toMatchObject({ kind: "failed" });
});

test("an absent receiver fails the delivery until it returns", async () => {
  const receiver = await startReceiver();
  const { sink, observer } = await testSink(receiver);
  await receiver.close();
  const outcome = await deliverRows(sink, [row("40", NOON, 1)], never);
  expect(outcome).toMatchObject({ kind: "failed", message: expect.stringContaining("ECONNREFUSED") });
  expect(observer.counts).toEqual({ "failed live": 6 });
});

test("a broken connection is retried at once", async () => {
  const receiver = await startReceiver((request) => (request === 0 ? (response) => response.destroy() : undefined));
  const { sink } = await testSink(receiver);
  expect(await deliverRows(sink, [row("40", NOON, 1)])).toMatchObject({ kind: "accepted" });
  expect(receiver.requests).toHaveLength(2);
});

test("a stopped delivery ends its request without blaming the receiver", async () => {
  const receiver = await startReceiver(() => () => undefined);
  const { sink, observer } = await testSink(receiver);
  const stop = new AbortController();
  const delivery = deliverRows(sink, [row("40", NOON, 1)], stop.signal);
  await receiver.until(1);
  stop.abort(new Error("the exporter stops"));
  expect(await delivery).toEqual({ kind: "failed", retryAfterMs: undefined, message: "the exporter stops" });
  expect(observer.counts).toEqual({});
});

test("an error in a channel description fails the delivery, not the caller", async () => {
  const receiver = await startReceiver();
  const { sink } = await testSink(receiver, {}, () => {
    throw new Error("no such table");
  });
  expect(await deliverRows(sink, [row("40", NOON, 1)], never)).toMatchObject({
    kind: "failed",
    message: "no such table",
  });
});

test.each(PROTOCOLS)("the sink compresses bodies on request, over %s", async (protocol) => {
  const receiver = await startReceiver();
  const { sink } = await testSink(receiver, { protocol, compression: "gzip" });
  await deliverRows(sink, [row("40", NOON, 50)], never);
  const [request] = receiver.requests;
  expect(request?.headers["content-encoding"]).toBe("gzip");
  expect((request?.wire.length ?? 0) * 5).toBeLessThan(request?.body.length ?? 0);
  expect(receiver.points).toHaveLength(50);
});

test("the sink announces exactly the channels that it sends", async () => {
  const receiver = await startReceiver();
  const sending: string[] = [];
  const sink = new OtlpMeasurementSink({
    exporter: await testExporter({ endpoint: receiver.url }),
    ...{ resource: RESOURCE, scope: SCOPE, observer: recordedObserver() },
    describe: (sensorId, channelId) => (channelId === "1" ? undefined : describeAll(sensorId, channelId)),
    sending: (sensorId, channelId) => void sending.push(`${sensorId}.${channelId} ${receiver.requests.length}`),
  });
  await deliverRows(sink, [row("40", NOON, 3), row("41", NOON, 1)], never);
  expect(sending).toEqual(["40.0 0", "40.2 0", "41.0 0"]);
});
