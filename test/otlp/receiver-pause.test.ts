import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { createEventSink } from "../../src/otlp/event-sink.ts";
import { OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import { Receivers } from "../../src/otlp/receivers.ts";
import { startStatePush } from "../../src/otlp/state-push.ts";
import { Store } from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { statusChanges } from "./support/events.ts";
import {
  deliverRows,
  RESOURCE,
  type RecordedObserver,
  recordedObserver,
  SCOPE,
  testExporter,
  testLogExporter,
} from "./support/otlp-exporter.ts";
import { type Answer, startReceiver } from "./support/otlp-http-receiver.ts";
import { describeAll, NOON, row } from "./support/rows.ts";

const START = Date.UTC(2026, 0, 15, 12);

/** `answer` for the first request, then accepts. */
async function setUp(answer: Answer) {
  const clock = new ManualClock(START);
  const receivers = new Receivers(clock);
  const receiver = await startReceiver((request) => (request === 0 ? answer : undefined));
  const lines: string[] = [];
  let held = 0;
  const observer: RecordedObserver = Object.assign(recordedObserver(), { stateHeld: () => void held++ });
  const common = { resource: RESOURCE, scope: SCOPE };
  const connectMetrics = () => testExporter({ endpoint: receiver.url }, { clock, receivers });
  const exporter = await connectMetrics();
  const store = new Store(Object.values(TREE_FAMILIES));
  const codes = store.table(TREE_FAMILIES.sensorStatusCode);
  codes.set(codes.add(["hq", "1", "Local Probe", "Network", "switch", "Ping", "Local Probe/Network/Ping"]), 3);
  const state = startStatePush({
    ...{ exporter, observer, ...common, store, registry: new Registry(), countingSince: START, clock },
    measured: new Set([TREE_FAMILIES.channelValue.name]),
    ends: { endOf: () => undefined, holds: () => false },
    sensorStatus: "current",
    intervalMs: 3_600_000,
    timeoutMs: 30_000,
    log: pino({ level: "warn" }, { write: (line) => void lines.push(JSON.parse(line).msg) }),
  });
  onTestFinished(() => state.stop(0));
  const measurements = new OtlpMeasurementSink({ exporter, ...common, describe: describeAll, observer });
  const events = createEventSink({
    exporter: await testLogExporter({ endpoint: receiver.url }, { clock, receivers }),
    ...common,
  });
  const pushes = {
    measurements: () => deliverRows(measurements, [row("40", NOON, 2)], never),
    history: () => deliverRows(measurements, [row("40", NOON - 3_600_000, 2, "short")], never),
    state: () => state.flush(),
    events: () => events.send(statusChanges(2), never),
    "measurements after a reload": async () =>
      deliverRows(
        new OtlpMeasurementSink({ exporter: await connectMetrics(), ...common, describe: describeAll, observer }),
        [row("41", NOON, 2)],
        never,
      ),
  };
  return { clock, receiver, pushes, observer, lines, heldPushes: () => held };
}

const RETRY_25_S: Answer = { status: 429, headers: { "retry-after": "25" } };

describe("receiver that requests a pause", () => {
  test.each(["measurements", "history", "state", "events"] as const)(
    "gets no request of any kind until the end, after an answer to %s",
    async (first) => {
      const { clock, receiver, pushes } = await setUp(RETRY_25_S);
      await pushes[first]();
      expect(receiver.requests).toHaveLength(1);
      for (const waitMs of [0, 10_000, 14_999]) {
        await clock.advance(waitMs);
        for (const push of Object.values(pushes)) await push();
      }
      expect(receiver.requests).toHaveLength(1);
      await clock.advance(1);
      for (const push of Object.values(pushes)) await push();
      expect(receiver.requests.length).toBeGreaterThanOrEqual(1 + Object.keys(pushes).length);
    },
  );

  test("uses its own clock for a date", async () => {
    const theirs = START - 7 * 3_600_000;
    const headers = {
      date: new Date(theirs).toUTCString(),
      "retry-after": new Date(theirs + 40_000).toUTCString(),
    };
    const { clock, receiver, pushes } = await setUp({ status: 503, headers });
    expect(await pushes.events()).toMatchObject({ kind: "retry", retryAfterMs: 40_000 });
    await clock.advance(39_999);
    expect(await pushes.measurements()).toMatchObject({ kind: "failed", retryAfterMs: 1 });
    expect(receiver.requests).toHaveLength(1);
    await clock.advance(1);
    expect(await pushes.measurements()).toMatchObject({ kind: "accepted" });
  });

  test("gets at most 15 minutes", async () => {
    const { clock, pushes } = await setUp({ status: 429, headers: { "retry-after": "86400" } });
    await pushes.events();
    await clock.advance(15 * 60_000);
    expect(await pushes.measurements()).toMatchObject({ kind: "accepted" });
  });

  test("appears in one log line, and skipped requests are no failures", async () => {
    const { pushes, observer, lines, heldPushes } = await setUp(RETRY_25_S);
    await pushes.state();
    for (let times = 0; times < 4; times++) await pushes.state();
    await pushes.measurements();
    expect(observer.counts).toEqual({ "failed state": 1 });
    expect(heldPushes()).toBe(4);
    expect(lines).toEqual(["push of the current state over OTLP failed: HTTP 429 Too Many Requests"]);
  });

  test("does not affect another receiver", async () => {
    const { clock, pushes } = await setUp(RETRY_25_S);
    await pushes.events();
    const other = await startReceiver();
    const exporter = await testExporter({ endpoint: other.url }, { clock, receivers: new Receivers(clock) });
    const sink = new OtlpMeasurementSink({
      ...{ exporter, resource: RESOURCE, scope: SCOPE, describe: describeAll, observer: recordedObserver() },
    });
    expect(await deliverRows(sink, [row("40", NOON, 2)], never)).toMatchObject({ kind: "accepted" });
  });
});
