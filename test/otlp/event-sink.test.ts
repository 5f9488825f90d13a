import { describe, expect, test } from "vitest";
import type { EventRecord } from "../../src/events/event.ts";
import { OTLP_PROTOCOLS } from "../../src/otlp/environment.ts";
import { createEventSink, estimateRecordSize } from "../../src/otlp/event-sink.ts";
import { SCHEMA_URL } from "../../src/otlp/semantic-conventions.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { statusChange, statusChanges } from "./support/events.ts";
import { RESOURCE, SCOPE, testLogExporter } from "./support/otlp-exporter.ts";
import { isProbe, type Receiver, startReceiver } from "./support/otlp-http-receiver.ts";

async function testSink(section: OtlpSection, context?: Parameters<typeof testLogExporter>[1]) {
  return createEventSink({ exporter: await testLogExporter(section, context), resource: RESOURCE, scope: SCOPE });
}

function uids({ records }: Receiver): unknown[] {
  return records.map(({ attributes }) => attributes["log.record.uid"]);
}

const uidsOf = (events: readonly EventRecord[]) => events.map(({ uid }) => uid);

describe.each(OTLP_PROTOCOLS)("events over %s", (protocol) => {
  test("arrive complete as log records, next to the metrics path", async () => {
    const receiver = await startReceiver();
    const sink = await testSink({ endpoint: `${receiver.url}/otlp`, protocol });
    const event = statusChange(7);
    expect(await sink.send([event], never)).toEqual({ kind: "accepted", rejected: 0, message: "" });
    const [request] = receiver.requests;
    expect(request?.path).toBe("/otlp/v1/logs");
    expect(request?.logs).toEqual([
      {
        resource: RESOURCE.attributes,
        scope: SCOPE,
        records: [
          {
            time: BigInt(event.timestamp) * 1_000_000n,
            observed: BigInt(event.observedTimestamp) * 1_000_000n,
            severityNumber: 17,
            severityText: "ERROR",
            body: event.body,
            eventName: "prtg.sensor.status_change",
            attributes: {
              "log.record.uid": event.uid,
              "event.name": "prtg.sensor.status_change",
              ...event.attributes,
            },
          },
        ],
      },
    ]);
  });

  test("come in ordered requests of an acceptable size", async () => {
    const limit = 60_000;
    const receiver = await startReceiver((_, { body }) => (body.length > limit ? { status: 413 } : undefined));
    const sink = await testSink({ endpoint: receiver.url, protocol });
    const events = statusChanges(500);
    expect(await sink.send(events, never)).toMatchObject({ kind: "accepted", rejected: 0 });
    expect(uids(receiver)).toEqual(uidsOf(events));
    const refused = receiver.requests.length - receiver.requests.filter(({ body }) => body.length <= limit).length;
    expect(refused).toBeGreaterThan(0);
    // The sink has learned the limit: later events go through at once.
    const before = receiver.requests.length;
    await sink.send(events, never);
    expect(receiver.requests.slice(before).filter(({ body }) => body.length > limit)).toEqual([]);
  });

  test("respect the configured limit", async () => {
    const receiver = await startReceiver();
    const sink = await testSink({ endpoint: receiver.url, protocol, maxRequestBytes: 8_000 });
    const events = statusChanges(100, { body: "\u{1f600}\u0001".repeat(50) });
    await sink.send(events, never);
    expect(uids(receiver)).toEqual(uidsOf(events));
    expect(Math.max(...receiver.requests.map(({ body }) => body.length))).toBeLessThanOrEqual(8_000);
  });

  test.each([
    ["application/json", JSON.stringify({ partialSuccess: { rejectedLogRecords: "2", errorMessage: "too old" } })],
    ["application/x-protobuf", Uint8Array.from([10, 11, 8, 2, 18, 7, ...Buffer.from("too old")])],
  ])("partly fail by the answer in %s", async (contentType, body) => {
    const receiver = await startReceiver(() => ({ headers: { "content-type": contentType }, body }));
    const sink = await testSink({ endpoint: receiver.url, protocol });
    expect(await sink.send(statusChanges(3), never)).toEqual({ kind: "accepted", rejected: 2, message: "too old" });
  });
});

const ON_ROUTER = {
  "prtg.server.name": "hq",
  "prtg.device.id": "40",
  "prtg.device.name": "Router",
  "prtg.device.path": "Local/Router",
  "server.address": "10.0.0.7",
  "prtg.probe.name": "Local",
};

describe.each(OTLP_PROTOCOLS)("events from devices over %s", (protocol) => {
  test("have each device resource once per request, without repeated attributes", async () => {
    const receiver = await startReceiver();
    const exporter = await testLogExporter({ endpoint: receiver.url, protocol });
    const scope = { ...SCOPE, schemaUrl: SCHEMA_URL };
    const sink = createEventSink({ exporter, resource: RESOURCE, scope, isFromDevice: true });
    const own = { "prtg.sensor.id": "50", "prtg.status.old_duration": 12.5, "prtg.object.tags": ["a", "b"] };
    const elsewhere = {
      ...ON_ROUTER,
      "prtg.device.id": "41",
      "prtg.device.name": "Web",
      "server.address": "web.example",
    };
    // The user may see the sensor but not its device.
    const { "prtg.device.path": _, "server.address": __, ...unseen } = { ...ON_ROUTER, ...own };
    const events = [{ ...ON_ROUTER, ...own }, elsewhere, unseen, { ...ON_ROUTER, ...own }].map((attributes, number) =>
      statusChange(number, { attributes }),
    );
    await sink.send(events, never);
    const logs = receiver.requests.flatMap((request) => request.logs);
    const told = { "event.name": "prtg.sensor.status_change", "log.record.uid": expect.any(String) };
    expect(logs.map(({ schemaUrl }) => schemaUrl)).toEqual([SCHEMA_URL, SCHEMA_URL, SCHEMA_URL]);
    expect(logs.map(({ resource, records }) => [resource, records.map(({ attributes }) => attributes)])).toEqual([
      [
        { ...RESOURCE.attributes, ...ON_ROUTER, "service.instance.id": "one/hq/40", "host.name": "Router" },
        [
          { ...own, ...told },
          { ...own, ...told },
        ],
      ],
      [
        { ...RESOURCE.attributes, ...elsewhere, "service.instance.id": "one/hq/41", "host.name": "web.example" },
        [told],
      ],
      [RESOURCE.attributes, [{ ...unseen, ...told }]],
    ]);
  });

  test("respect the configured limit with a device for each", async () => {
    const receiver = await startReceiver();
    const exporter = await testLogExporter({ endpoint: receiver.url, protocol, maxRequestBytes: 16_000 });
    const sink = createEventSink({ exporter, resource: RESOURCE, scope: SCOPE, isFromDevice: true });
    const events = statusChanges(200).map((event, id) => ({
      ...event,
      attributes: { ...event.attributes, ...ON_ROUTER, "prtg.device.id": String(id) },
    }));
    await sink.send(events, never);
    expect(uids(receiver)).toEqual(uidsOf(events));
    expect(Math.max(...receiver.requests.map(({ body }) => body.length))).toBeLessThanOrEqual(16_000);
  });
});

test("events are kept while the receiver rejects everything", async () => {
  const receiver = await startReceiver(() => ({ status: 400, headers: { "content-type": "text/plain" }, body: "no" }));
  const sink = await testSink({ endpoint: receiver.url, compression: "none" });
  expect(await sink.send(statusChanges(3), never)).toEqual({
    kind: "retry",
    ...{ settled: 0, rejected: 0, retryAfterMs: undefined },
    message: "HTTP 400 Bad Request: no",
  });
  expect(receiver.requests.map(isProbe)).toEqual([false, true]);
  const closed = await startReceiver(() => ({ status: 401 }));
  expect(await (await testSink({ endpoint: closed.url })).send(statusChanges(3), never)).toMatchObject({
    kind: "retry",
    settled: 0,
  });
});

test("only a bad event is rejected, and each other one arrives once, in order", async () => {
  const events = statusChanges(9);
  const bad = events[4]?.uid;
  const receiver = await startReceiver((_, { logs }) => {
    const uidsOfRequest = logs.flatMap(({ records }) => records.map(({ attributes }) => attributes["log.record.uid"]));
    return uidsOfRequest.includes(bad) ? { status: 400 } : undefined;
  });
  const sink = await testSink({ endpoint: receiver.url, compression: "none" });
  expect(await sink.send(events, never)).toMatchObject({ kind: "accepted", rejected: 1 });
  expect(uids(receiver)).toEqual(uidsOf(events.filter(({ uid }) => uid !== bad)));
});

test("events that are all rejected do not stop later ones", async () => {
  const receiver = await startReceiver((_, seen) => (isProbe(seen) ? undefined : { status: 400 }));
  const sink = await testSink({ endpoint: receiver.url, compression: "none" });
  expect(await sink.send(statusChanges(500), never)).toMatchObject({ kind: "accepted", rejected: 500 });
  expect(receiver.requests.length).toBeLessThan(400);
});

test.each([429, 502, 503, 504])(
  "HTTP %i: the sink reports delivered events and the requested pause",
  async (status) => {
    const receiver = await startReceiver((request) => {
      if (request === 1) return { status: 400 };
      return request === 3 ? { status, headers: { "retry-after": "30" } } : undefined;
    });
    const clock = new ManualClock();
    const sink = await testSink({ endpoint: receiver.url, maxRequestBytes: 8_000 }, { clock });
    const events = statusChanges(60);
    const outcome = await sink.send(events, never);
    const sent = receiver.requests.filter((seen) => !isProbe(seen));
    const counts = sent.map(({ logs }) => logs.flatMap(({ records }) => records).length);
    const [first = 0, second = 0] = counts;
    expect(counts).toHaveLength(3);
    expect(second).toBeGreaterThan(1);
    expect(outcome).toMatchObject({ kind: "retry", settled: first, rejected: 0, retryAfterMs: 30_000 });
    await clock.advance(30_000);
    // The retry contains the rest.
    expect(await sink.send(events.slice(first), never)).toMatchObject({ kind: "accepted", rejected: 0 });
    expect(uids(receiver)).toEqual(uidsOf(events));
  },
);

test("an aborted or closed delivery counts nothing as delivered", async () => {
  const receiver = await startReceiver(() => () => undefined);
  const sink = await testSink({ endpoint: receiver.url });
  const patience = new AbortController();
  const cutOff = sink.send(statusChanges(1), patience.signal);
  await receiver.until(1);
  patience.abort();
  expect(await cutOff).toMatchObject({ kind: "retry", settled: 0 });
  expect(receiver.requests).toHaveLength(1);
});

test("configured compression and headers apply", async () => {
  const receiver = await startReceiver();
  const sink = await testSink({ logsEndpoint: receiver.url, compression: "gzip", headers: { "X-Scope-OrgID": "net" } });
  await sink.send(statusChanges(50), never);
  const [request] = receiver.requests;
  expect(request?.headers).toMatchObject({ "content-encoding": "gzip", "x-scope-orgid": "net" });
  expect(request?.wire.length).toBeLessThan((request?.body.length ?? 0) / 3);
  expect(receiver.records).toHaveLength(50);
});

test("the estimated size of a record is about right", async () => {
  const receiver = await startReceiver();
  const sink = await testSink({ endpoint: receiver.url });
  const events = statusChanges(100);
  await sink.send(events, never);
  const bytes = receiver.requests[0]?.body.length ?? 0;
  const estimate = events.reduce((sum, event) => sum + estimateRecordSize(event), 0);
  expect(estimate / bytes).toBeGreaterThan(0.7);
  expect(estimate / bytes).toBeLessThan(1.5);
});

test.each<[string, Partial<EventRecord>, number]>([
  ["uid", { uid: "u".repeat(100) }, 100],
  ["name, which it has twice", { eventName: "n".repeat(100) as EventRecord["eventName"] }, 200],
  ["body", { body: "b".repeat(100) }, 100],
  ["text in an attribute", { attributes: { "prtg.status.name": "t".repeat(100) } }, 100],
  ["list in an attribute", { attributes: { "prtg.status.name": ["t".repeat(60), "t".repeat(40)] } }, 100],
])("the estimated size of a record grows with its %s", (_, more, letters) => {
  const event = statusChange(0, { uid: "", body: "", attributes: { "prtg.status.name": "" } });
  const short = { ...event, eventName: "" as EventRecord["eventName"] };
  const grown = estimateRecordSize({ ...short, ...more }) - estimateRecordSize(short);
  expect(grown).toBeGreaterThanOrEqual(letters);
  expect(grown).toBeLessThan(letters + 30);
});
