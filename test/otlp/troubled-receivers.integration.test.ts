import type { ServerResponse } from "node:http";
import { pino } from "pino";
import { Gauge, Registry } from "prom-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { EventQueue } from "../../src/events/event-queue.ts";
import { EventDelivery } from "../../src/events/server-events.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { Delivery } from "../../src/measurements/delivery.ts";
import { Outbox } from "../../src/measurements/outbox.ts";
import { Watermarks } from "../../src/measurements/watermarks.ts";
import { createEventSink } from "../../src/otlp/event-sink.ts";
import { OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import { startStatePush } from "../../src/otlp/state-push.ts";
import type { StateFiles } from "../../src/state/state-files.ts";
import { Store } from "../../src/store/store.ts";
import { measurementRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { FastClock } from "../support/fast-clock.ts";
import { statusChanges } from "./support/events.ts";
import { RESOURCE, recordedObserver, SCOPE, testExporter, testLogExporter } from "./support/otlp-exporter.ts";
import { type Answer, isProbe, type SeenRequest, startReceiver } from "./support/otlp-http-receiver.ts";
import { describeAll, NOON, row } from "./support/rows.ts";

/** An outage of 20 s takes half a second. */
const SPEED = 40;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SENSORS = 30;
const CHANNELS = 4;

interface Request {
  readonly seen: SeenRequest;
  /** From 0. */
  readonly number: number;
  /** Of the exporter's clock, milliseconds since the start. */
  readonly at: number;
}

/** `undefined`: accepts. `stored`: stores the points, whatever the answer. */
type Trouble = (request: Request) => (Answer & { readonly stored?: boolean }) | undefined;

/** Counts the points that it accepts, by series and time. */
async function countingReceiver(clock: FastClock, trouble: Trouble, latencyMs = 0) {
  const points = new Map<string, number>();
  const requests: { readonly at: number; readonly isProbe: boolean; readonly ok: boolean }[] = [];
  const receiver = await startReceiver((number, seen) => {
    const at = clock.monotonic();
    const answer = trouble({ seen, number, at });
    const ok = answer === undefined;
    requests.push({ at, isProbe: isProbe(seen), ok });
    if ((ok || (typeof answer !== "function" && answer.stored === true)) && !isProbe(seen)) {
      for (const key of keysOf(seen)) points.set(key, (points.get(key) ?? 0) + 1);
    }
    if (latencyMs === 0 || typeof answer === "function") return answer;
    const { status = 200, headers = {}, body = "" } = answer ?? {};
    return (response: ServerResponse) =>
      setTimeout(() => response.writeHead(status, { ...headers }).end(body), latencyMs);
  });
  return {
    url: receiver.url,
    points,
    requests,
    doubled: () => [...points.values()].filter((count) => count > 1).length,
  };
}

function keysOf({ batches }: SeenRequest): string[] {
  return batches.flatMap(({ metrics }) =>
    metrics.flatMap(({ points }) =>
      points.map(
        ({ attributes, time }) =>
          `${attributes.sensor_id}.${attributes.channel_id}@${time / 1_000_000n - BigInt(NOON)}`,
      ),
    ),
  );
}

/** The push of the measurements of one server, without the server. */
async function startDelivery(clock: FastClock, url: string, files: StateFiles = memoryFiles(), timeoutMs = 10_000) {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const exporter = await testExporter(
    { endpoint: url, timeoutMs, maxBytesPerSecond: 0, maxRequestBytes: 16_384 },
    { clock, retryPauseMs: 100 },
  );
  const outbox = new Outbox(1_000_000);
  const watermarks = await Watermarks.open("hq", files);
  const delivery = new Delivery({
    sink: new OtlpMeasurementSink({
      ...{ exporter, resource: RESOURCE, scope: SCOPE, describe: describeAll, observer: recordedObserver() },
    }),
    ...{ outbox, watermarks, maxBatchPoints: 10_000, clock, random: () => 0.5 },
    log: pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line)) }),
    observer: measurementRecorder(emptyMetrics(), "hq"),
  });
  delivery.start();
  onTestFinished(() => delivery.handOver(0));
  const offer = (at: number): void => {
    for (let sensor = 0; sensor < SENSORS; sensor++) {
      const after = watermarks.get(`${sensor}`)?.until ?? Number.NEGATIVE_INFINITY;
      if (at > after) outbox.offer(row(`${sensor}`, at, CHANNELS));
    }
    delivery.notify();
  };
  return { delivery, outbox, watermarks, offer, lines };
}

function memoryFiles(): StateFiles {
  const files = new Map<string, string>();
  return {
    read: async (name) => files.get(name),
    write: async (name, text) => void files.set(name, text),
    rename: async (from, to) => {
      files.set(to, files.get(from) ?? "");
      files.delete(from);
    },
    syncDirectory: async () => undefined,
  };
}

/** Scans of all sensors every 5 s for a minute, after a backlog of ten minutes. Resolves when everything is settled. */
async function pushMinute(trouble: Trouble, timeoutMs?: number) {
  const clock = new FastClock(SPEED, NOON);
  const receiver = await countingReceiver(clock, trouble);
  const { outbox, offer, lines } = await startDelivery(clock, receiver.url, undefined, timeoutMs);
  for (let minute = -10; minute < 0; minute++) offer(NOON + minute * MINUTE);
  for (let second = 0; second < 60; second += 5) {
    offer(NOON + second * SECOND);
    await clock.sleep(5 * SECOND);
  }
  await expect.poll(() => outbox.points, { timeout: 50_000, interval: 20 }).toBe(0);
  const expected = SENSORS * CHANNELS * 22;
  return { receiver, lines, lost: expected - receiver.points.size, doubled: receiver.doubled() };
}

/** The answer for 20 s. */
const for20s =
  (answer: Answer): Trouble =>
  ({ at }) =>
    at > 10 * SECOND && at < 30 * SECOND ? answer : undefined;

/** Three of ten requests. */
const ofThirtyPercent =
  (answer: Answer): Trouble =>
  ({ number }) =>
    (number * 7) % 10 < 3 ? answer : undefined;

const TOO_LARGE = { status: 400, headers: { "content-type": "text/plain" }, body: "http: request body too large" };

const REFUSALS = [400, 413, 500, 503];
const STATUSES = [...REFUSALS, 401, 403, 404, 429, 507, 520];

describe("measurements to a receiver that", () => {
  test.each([
    ...STATUSES.map((status): [string, Trouble] => [`answers ${status} to everything for 20 s`, for20s({ status })]),
    ["asks for pauses of 5 s for 20 s", for20s({ status: 429, headers: { "retry-after": "5" } })],
    ["closes connections for 20 s", for20s((response) => response.destroy())],
    ["answers with a web page for 20 s", for20s({ headers: { "content-type": "text/html" }, body: "<html>" })],
    ["refuses 30 % with 503", ofThirtyPercent({ status: 503 })],
    ["refuses 30 % with 500", ofThirtyPercent({ status: 500 })],
    ["refuses one of three with 503", ({ number }) => (number % 3 === 1 ? { status: 503 } : undefined)],
    ["refuses one of three with 400", ({ number }) => (number % 3 === 1 ? { status: 400 } : undefined)],
    ["refuses large bodies with 413", ({ seen }) => (seen.body.length > 5_000 ? { status: 413 } : undefined)],
    ["refuses large bodies with 400", ({ seen }) => (seen.body.length > 5_000 ? TOO_LARGE : undefined)],
  ] satisfies [string, Trouble][])("%s lose nothing and arrive once", async (_, trouble) => {
    const { lost, doubled, lines } = await pushMinute(trouble);
    expect({ lost, doubled }).toEqual({ lost: 0, doubled: 0 });
    expect(lines.filter(({ msg }) => /rejected/.test(msg))).toEqual([]);
  });

  test.each([
    ["does not answer for 20 s", for20s(() => undefined)],
    [
      "stores everything and answers 500 for 20 s",
      ({ at }) => (at > 10 * SECOND && at < 30 * SECOND ? { status: 500, stored: true } : undefined),
    ],
  ] satisfies [string, Trouble][])(
    "%s lose nothing, and only what was not acknowledged arrives again",
    async (_, trouble) => {
      const { lost } = await pushMinute(trouble, 5 * SECOND);
      expect(lost).toBe(0);
    },
  );

  test("answers 413 to everything get few requests, with one line in the log", async () => {
    const { receiver, lines } = await pushMinute(for20s({ status: 413 }));
    expect(lines.map(({ msg }) => msg)).toEqual([
      "cannot deliver measurements, retrying: HTTP 413 Payload Too Large",
      "measurements can be delivered again",
    ]);
    expect(receiver.requests.filter(({ ok }) => !ok).length).toBeLessThan(100);
  });

  test("has no window for old points lose only these, and get new ones at once", async () => {
    const newest = new Map<string, number>();
    let head = 0;
    const tooOld: Trouble = ({ seen }) => {
      const points = isProbe(seen) ? [] : keysOf(seen).map((key) => key.split("@"));
      for (const [series = "", at] of points) {
        const time = Number(at);
        if (time <= (newest.get(series) ?? Number.NEGATIVE_INFINITY) || time < head - 2 * MINUTE)
          return { status: 400, headers: { "content-type": "text/plain" }, body: "out of order sample" };
      }
      for (const [series = "", at] of points) {
        newest.set(series, Number(at));
        head = Math.max(head, Number(at));
      }
      return undefined;
    };
    const { receiver, lost, doubled, lines } = await pushMinute(tooOld);
    expect(doubled).toBe(0);
    // At most the ten minutes of the backlog.
    expect(lost).toBeLessThanOrEqual(SENSORS * CHANNELS * 8);
    expect(lost).toBeGreaterThan(0);
    expect(lines.filter(({ msg }) => /rejected measurements permanently/.test(msg)).length).toBeGreaterThan(0);
    expect(receiver.requests.filter(({ ok }) => !ok).length).toBeLessThan(1_000);
  });

  test("rejects one sensor lose only this one", async () => {
    const { receiver, lost, doubled } = await pushMinute(({ seen }) =>
      keysOf(seen).some((key) => key.startsWith("7.")) ? { status: 400 } : undefined,
    );
    expect({ lost, doubled }).toEqual({ lost: CHANNELS * 22, doubled: 0 });
    expect([...receiver.points.keys()].filter((key) => key.startsWith("7."))).toEqual([]);
  });
});

describe("throughput", () => {
  /** Milliseconds until a backlog of a hundred requests or so is accepted. Each answer takes 50 ms. */
  async function timeFor(trouble: Trouble): Promise<number> {
    const clock = new FastClock(1, NOON);
    const receiver = await countingReceiver(clock, trouble, 50);
    const { outbox, offer } = await startDelivery(clock, receiver.url);
    for (let minute = 0; minute < 10; minute++) offer(NOON + minute * MINUTE);
    await expect.poll(() => outbox.points, { timeout: 50_000, interval: 5 }).toBe(0);
    expect(receiver.doubled()).toBe(0);
    return clock.monotonic();
  }

  test.each([
    ["30 % of the requests refused", ofThirtyPercent({ status: 503 })],
    ["one of three requests refused", ({ number }) => (number % 3 === 1 ? { status: 503 } : undefined)],
  ] satisfies [string, Trouble][])("with %s is at least half of the usual one", async (_, trouble) => {
    const usual = await timeFor(() => undefined);
    expect(usual / (await timeFor(trouble))).toBeGreaterThan(0.5);
  });
});

test("a shutdown during a backlog repeats nothing after the restart, though each answer takes 400 ms", async () => {
  // The end of the grace, in which the last answers arrive, takes 300 real milliseconds.
  const speed = 10;
  const minutes = 20;
  const clock = new FastClock(speed, NOON);
  const receiver = await countingReceiver(clock, () => undefined, 400 / speed);
  const files = memoryFiles();
  const first = await startDelivery(clock, receiver.url, files);
  for (let minute = 0; minute < minutes; minute++) first.offer(NOON + minute * MINUTE);
  await clock.sleep(3 * SECOND);
  await first.delivery.flush(15 * SECOND);
  const before = receiver.points.size;
  expect(before).toBeLessThan(SENSORS * CHANNELS * minutes);
  const second = await startDelivery(clock, receiver.url, files);
  for (let minute = 0; minute < minutes; minute++) second.offer(NOON + minute * MINUTE);
  await expect.poll(() => second.outbox.points, { timeout: 50_000, interval: 20 }).toBe(0);
  expect(receiver.points.size).toBe(SENSORS * CHANNELS * minutes);
  expect(receiver.doubled()).toBe(0);
});

describe("the current state to a receiver that", () => {
  const FAMILIES = 90;

  async function startState(trouble: Trouble) {
    const clock = new FastClock(1, NOON);
    const families = new Set<string>();
    const ends = new Set<string>();
    const receiver = await startReceiver((number, seen) => {
      const answer = trouble({ seen, number, at: clock.monotonic() });
      if (answer !== undefined) return answer;
      for (const { name, points } of seen.batches.flatMap(({ metrics }) => metrics)) {
        families.add(name);
        for (const { ended, attributes } of points) if (ended) ends.add(String(attributes.sensor_id));
      }
      return undefined;
    });
    const registry = new Registry();
    for (let family = 0; family < FAMILIES; family++) {
      new Gauge({ name: `prtg_exporter_family_${family}`, help: "A family.", registers: [registry] }).set(family);
    }
    const store = new Store(Object.values(TREE_FAMILIES));
    const intervals = store.table(TREE_FAMILIES.sensorInterval);
    const slots = Array.from({ length: 400 }, (_, sensor) => {
      const slot = intervals.add(["hq", `${sensor}`, "P", "G", "D", `Sensor ${sensor}`, `P/G/D/Sensor ${sensor}`]);
      intervals.set(slot, 60);
      return slot;
    });
    const push = startStatePush({
      ...{
        store,
        registry,
        clock,
        countingSince: NOON,
        resource: RESOURCE,
        scope: SCOPE,
        observer: recordedObserver(),
      },
      exporter: await testExporter({ endpoint: receiver.url, maxRequestBytes: 16_384 }, { clock, retryPauseMs: 100 }),
      measured: new Set([TREE_FAMILIES.channelValue.name]),
      ends: { endOf: () => undefined, holds: () => false },
      sensorStatus: "current",
      ...{ intervalMs: 3_600_000, timeoutMs: 30 * SECOND },
      log: pino({ level: "silent" }),
    });
    onTestFinished(() => push.stop(0));
    return { push, families, ends, removeSensors: () => slots.map((slot) => intervals.remove(slot)) };
  }

  test.each([
    ["refuses 30 % of the requests", ofThirtyPercent({ status: 503 })],
    ["refuses one of three requests", ({ number }) => (number % 3 === 1 ? { status: 500 } : undefined)],
  ] satisfies [string, Trouble][])("%s arrives within three intervals, with all ends", async (_, trouble) => {
    const { push, families, ends, removeSensors } = await startState(trouble);
    for (let interval = 0; interval < 3; interval++) await push.flush();
    expect(families.size).toBe(FAMILIES + 1);
    removeSensors();
    for (let interval = 0; interval < 3; interval++) await push.flush();
    expect(ends.size).toBe(400);
  });

  test.each([400, 413, 500, 503])("answers %i to everything arrives afterwards, with all ends", async (status) => {
    let isOut = true;
    const { push, ends, removeSensors } = await startState(() => (isOut ? { status } : undefined));
    isOut = false;
    await push.flush();
    isOut = true;
    removeSensors();
    await push.flush();
    await push.flush();
    expect(ends.size).toBe(0);
    isOut = false;
    await push.flush();
    expect(ends.size).toBe(400);
  });
});

describe("events to a receiver that", () => {
  test.each([
    ...REFUSALS.map((status): [string, Trouble] => [`answers ${status} for 20 s`, for20s({ status })]),
    ["refuses 30 % of the requests with 503", ofThirtyPercent({ status: 503 })],
    ["refuses one of three requests with 400", ({ number }) => (number % 3 === 1 ? { status: 400 } : undefined)],
  ] satisfies [string, Trouble][])("%s arrive once", async (_, trouble) => {
    const clock = new FastClock(SPEED, NOON);
    const receiver = await startReceiver((number, seen) => trouble({ seen, number, at: clock.monotonic() }));
    const exporter = await testLogExporter({ endpoint: receiver.url }, { clock, retryPauseMs: 100 });
    const queue = new EventQueue({ maxEvents: 1_000, maxSize: 10_000_000 });
    queue.attach(["otlp"]);
    const loop = new EventDelivery({
      ...{ output: "otlp", clock, random: () => 0.5, log: pino({ level: "silent" }) },
      sink: createEventSink({ exporter, resource: RESOURCE, scope: SCOPE }),
      next: () => queue.take("otlp", Number.POSITIVE_INFINITY, 100, 1_000_000),
      onSettled: async (settled) => queue.settle("otlp", settled.at(-1)?.seq ?? 0),
      onFailed: () => undefined,
    });
    loop.start();
    onTestFinished(() => loop.end(0));
    const events = statusChanges(24);
    for (const event of events) {
      queue.add([event]);
      loop.notify();
      await clock.sleep(2 * SECOND);
    }
    await expect.poll(() => queue.pending("otlp"), { timeout: 50_000, interval: 20 }).toBe(0);
    const uids = receiver.records.map(({ attributes }) => attributes["log.record.uid"]);
    expect(uids.toSorted()).toEqual(events.map(({ uid }) => uid).toSorted());
  });
});
