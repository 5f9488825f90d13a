import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import { Receivers } from "../../src/otlp/receivers.ts";
import { never } from "../support/never-aborted.ts";
import { deliverRows, RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { type Answer, type SeenRequest, startReceiver } from "./support/otlp-http-receiver.ts";
import { describeAll, NOON, row } from "./support/rows.ts";

const isGzip = ({ headers }: SeenRequest): boolean => headers["content-encoding"] === "gzip";

async function setUp(answer: (seen: SeenRequest, request: number) => Answer | undefined, clock = systemClock) {
  const receiver = await startReceiver((request, seen) => answer(seen, request));
  const receivers = new Receivers(systemClock);
  let refusals = 0;
  const connect = async () => {
    const given = { receivers, clock, gzipRefused: () => void refusals++ };
    const exporter = await testExporter({ endpoint: receiver.url }, given);
    return new OtlpMeasurementSink({
      ...{ exporter, resource: RESOURCE, scope: SCOPE, describe: describeAll, observer: recordedObserver() },
    });
  };
  const sink = await connect();
  let minute = 0;
  const deliver = (to = sink) => deliverRows(to, [row("40", NOON + 60_000 * minute++, 20)], never);
  return { receiver, deliver, connect, refusals: () => refusals, forms: () => receiver.requests.map(isGzip) };
}

test("gzip is the default and saves most of a request", async () => {
  const { receiver, deliver, forms } = await setUp(() => undefined);
  expect(await deliver()).toMatchObject({ kind: "accepted" });
  expect(forms()).toEqual([true]);
  const [{ wire, body } = { wire: [], body: [] }] = receiver.requests;
  expect(wire.length).toBeLessThan(body.length / 5);
});

test.each([415, 400])("after %i to gzip, the exporter retries without it and stops using it", async (status) => {
  const { deliver, connect, refusals, forms } = await setUp((seen) => (isGzip(seen) ? { status } : undefined));
  for (let times = 0; times < 3; times++) expect(await deliver()).toMatchObject({ kind: "accepted" });
  expect(forms()).toEqual([true, false, false, false]);
  // A reload keeps the learned state.
  await deliver(await connect());
  expect(forms()).toEqual([true, false, false, false, false]);
  expect(refusals()).toBe(1);
});

test("gzip counts as rejected only if the receiver accepts the request without it", async () => {
  const { deliver, refusals, forms } = await setUp((_, request) => (request < 2 ? { status: 400 } : undefined));
  expect(await deliver()).toMatchObject({ kind: "accepted" });
  expect(refusals()).toBe(0);
  // Both forms, the probe, and the row again.
  expect(forms()).toEqual([true, false, true, true]);
});

test("the exporter repeats a 400 without gzip at most once a minute", async () => {
  let now = 0;
  const clock = { ...systemClock, monotonic: () => now };
  const { deliver, refusals, forms } = await setUp(() => ({ status: 400 }), clock);
  for (let times = 0; times < 3; times++) expect(await deliver()).toMatchObject({ kind: "failed" });
  // Each delivery has a probe.
  expect(forms()).toEqual([true, false, true, true, true, true, true]);
  now = 60_000;
  await deliver();
  expect(forms().slice(7)).toEqual([true, false, true]);
  expect(refusals()).toBe(0);
});

test("another failure without gzip does not say whether a 400 is about gzip", async () => {
  const { deliver, refusals, forms } = await setUp((seen, request) =>
    isGzip(seen) ? { status: 400 } : request === 1 ? { status: 503 } : undefined,
  );
  await deliver();
  expect(await deliver()).toMatchObject({ kind: "accepted" });
  // A probe may go before the row.
  expect(forms().slice(0, 4)).toEqual([true, false, true, false]);
  expect(refusals()).toBe(1);
});

test("a 400 after accepted gzip concerns the data", async () => {
  const { deliver, refusals, forms } = await setUp((_, request) => (request === 1 ? { status: 400 } : undefined));
  for (let times = 0; times < 3; times++) await deliver();
  expect(forms()).toEqual([true, true, true, true, true]);
  expect(refusals()).toBe(0);
});

test("a 415 after accepted gzip ends its use at once", async () => {
  const { deliver, refusals, forms } = await setUp((seen, request) =>
    request > 0 && isGzip(seen) ? { status: 415 } : undefined,
  );
  for (let times = 0; times < 3; times++) expect(await deliver()).toMatchObject({ kind: "accepted" });
  expect(forms()).toEqual([true, true, false, false]);
  expect(refusals()).toBe(1);
});

test("a new receiver without gzip costs one request", async () => {
  const { deliver, refusals, forms } = await setUp((seen, request) =>
    request > 0 && isGzip(seen) ? { status: 400 } : undefined,
  );
  const kinds: string[] = [];
  for (let times = 0; times < 4; times++) kinds.push((await deliver()).kind);
  expect(kinds).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  expect(forms()).toEqual([true, true, true, false, false, false, false]);
  expect(refusals()).toBe(1);
});
