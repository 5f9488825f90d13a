import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { Delivery } from "../../src/measurements/delivery.ts";
import type {
  Coverage,
  DeliveryOutcome,
  MeasurementRow,
  Resolution,
  SettledRows,
} from "../../src/measurements/measurement.ts";
import { Outbox } from "../../src/measurements/outbox.ts";
import { type MeasurementRecorder, measurementRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { emptyWatermarks } from "./support/empty-watermarks.ts";

const DONE: DeliveryOutcome = { kind: "done" };
const FAILED: DeliveryOutcome = { kind: "failed", retryAfterMs: undefined, message: "connection refused" };

function row(sensorId: string, at: number, resolution: Resolution = "live"): MeasurementRow {
  return {
    sensorId,
    at,
    resolution,
    values: [
      ["0", at],
      ["1", at],
    ],
  };
}

interface Answer {
  /** Default: done. */
  readonly outcome?: DeliveryOutcome;
  /** Number of rows that are settled before the outcome. Default: all if it is done, else none. */
  readonly settles?: number;
  readonly rejected?: Omit<SettledRows, "rows">;
  readonly isSkipped?: boolean;
  readonly afterMs?: number;
}

/** A loop whose sink gives these answers, then accepts. Monotonic milliseconds. */
async function loop({
  answers = [],
  maxBatchPoints = 100,
  random = 0,
  deaf = false,
  takeHistoryTurn,
}: {
  answers?: Answer[];
  maxBatchPoints?: number;
  random?: number;
  /** The sink ignores the signal. */
  deaf?: boolean;
  takeHistoryTurn?: (clock: ManualClock) => number;
}) {
  const clock = new ManualClock();
  const outbox = new Outbox(10_000);
  const sent: { readonly at: number; readonly rows: string[] }[] = [];
  const settled: string[] = [];
  const counted: string[] = [];
  const lines: { msg: string; [field: string]: unknown }[] = [];
  const push = new Delivery({
    outbox,
    clock,
    maxBatchPoints,
    random: () => random,
    log: pino({ level: "debug" }, { write: (line) => void lines.push(JSON.parse(line)) }),
    sink: {
      ...(takeHistoryTurn && { takeHistoryTurn: () => takeHistoryTurn(clock) }),
      deliver: async (rows, { signal, onSettled }) => {
        sent.push({ at: clock.monotonic(), rows: rows.map(({ sensorId, at }) => `${sensorId}@${at}`) });
        const { outcome = DONE, afterMs = 0, rejected, settles, isSkipped = false } = answers.shift() ?? {};
        await clock.sleep(afterMs, deaf ? undefined : signal);
        const settled = rows.slice(0, settles ?? (outcome.kind === "done" ? rows.length : 0));
        if (settled.length > 0) onSettled({ rejectedPoints: 0, message: "", isSkipped, ...rejected, rows: settled });
        return outcome;
      },
    },
    observer: Object.assign(measurementRecorder(emptyMetrics(), "hq"), {
      delivered: ({ resolution }, points) => void counted.push(`delivered ${points} ${resolution}`),
      rejected: ({ resolution }, points) => void counted.push(`rejected ${points} ${resolution}`),
      deliveryFailed: () => void counted.push("failed"),
    } satisfies Partial<MeasurementRecorder>),
    watermarks: Object.assign(await emptyWatermarks(), {
      move: (sensorId: string, { until }: Coverage) => void settled.push(`${sensorId}@${until}`),
    }),
  });
  const offer = (...rows: MeasurementRow[]): void => {
    for (const each of rows) outbox.offer(each);
    push.notify();
  };
  return { clock, outbox, push, offer, sent, settled, counted, lines };
}

/** Flushes. Resolves with the time that it took, milliseconds. */
async function flush({ clock, push }: { clock: ManualClock; push: Delivery }, graceMs: number): Promise<number> {
  const began = clock.monotonic();
  let took = Number.NaN;
  const flushed = push.flush(graceMs).then(() => {
    took = clock.monotonic() - began;
  });
  await clock.advance(graceMs + 1_000);
  await flushed;
  return took;
}

const MINUTE = 60_000;

describe("history in the push", () => {
  /** A turn every ten seconds. */
  function turns(): (clock: ManualClock) => number {
    let next = 0;
    return (clock) => {
      const waitMs = next - clock.monotonic();
      if (waitMs > 0) return waitMs;
      next = clock.monotonic() + 10_000;
      return 0;
    };
  }

  const old = (sensorId: string) => Array.from({ length: 30 }, (_, minute) => row(sensorId, minute * MINUTE));

  test("waits for its turns, with live rows of other sensors in between", async () => {
    const { clock, push, offer, sent } = await loop({ maxBatchPoints: 20, takeHistoryTurn: turns() });
    push.start();
    offer(...old("a"));
    await clock.advance(100);
    expect(sent).toEqual([{ at: 0, rows: Array.from({ length: 10 }, (_, minute) => `a@${minute * MINUTE}`) }]);
    await clock.advance(2_900);
    offer(row("b", 1));
    await clock.advance(1_000);
    expect(sent.slice(1)).toEqual([{ at: 3_000, rows: ["b@1"] }]);
    await clock.advance(5_999);
    expect(sent).toHaveLength(2);
    await clock.advance(1);
    expect(sent[2]).toMatchObject({ at: 10_000, rows: expect.arrayContaining([`a@${10 * MINUTE}`]) });
  });

  test("goes after later live rows", async () => {
    const { clock, push, offer, sent } = await loop({ maxBatchPoints: 1_000 });
    push.start();
    offer(...old("a"), row("b", 1));
    await clock.advance(2_000);
    expect(sent.map(({ rows }) => rows[0])).toEqual(["b@1", "a@0"]);
  });

  test.each([
    { waitMs: 3_999, sent: ["b@1", "a@0"], took: 3_999 },
    { waitMs: 4_000, sent: ["b@1"], took: 0 },
  ])("goes out at the end if its turn comes in time: in $waitMs ms", async ({ waitMs, sent, took }) => {
    const subject = await loop({ takeHistoryTurn: (clock) => Math.max(0, waitMs - clock.monotonic()) });
    subject.push.start();
    subject.offer(...old("a"), row("b", 1));
    expect(await flush(subject, 5_000)).toBe(took);
    expect(subject.sent.map(({ rows }) => rows[0])).toEqual(sent);
  });

  test("does not delay the end if it gets no turn in time", async () => {
    const { clock, push, offer, sent, outbox } = await loop({ maxBatchPoints: 20, takeHistoryTurn: () => 60_000 });
    push.start();
    offer(...old("a"), row("b", 1));
    const ended = push.flush(5_000);
    await clock.advance(0);
    await ended;
    expect(sent.map(({ rows }) => rows)).toEqual([["b@1"]]);
    expect(outbox.points).toBe(60);
  });
});

test("a shutdown during another sender's pause ends immediately and keeps waiting rows", async () => {
  const held: DeliveryOutcome = { kind: "failed", retryAfterMs: 25_000, message: "a pause" };
  const { clock, push, offer, sent, outbox } = await loop({ answers: [{ outcome: held }] });
  offer(row("a", 1));
  const ended = push.flush(10_000);
  await clock.advance(0);
  await ended;
  expect(clock.monotonic()).toBe(0);
  expect([sent.length, outbox.points]).toEqual([1, 2]);
});

describe("Delivery", () => {
  test("collects rows for a second, then sends them together", async () => {
    const { clock, push, offer, sent, settled, counted, outbox } = await loop({});
    push.start();
    await clock.advance(10_000);
    offer(row("a", 1));
    await clock.advance(600);
    offer(row("b", 1));
    await clock.advance(399);
    expect(sent).toEqual([]);
    await clock.advance(1);
    expect(sent).toEqual([{ at: 11_000, rows: ["a@1", "b@1"] }]);
    expect(settled).toEqual(["a@1", "b@1"]);
    expect(counted).toEqual(["delivered 4 live"]);
    expect(outbox.points).toBe(0);
    expect(clock.pending).toEqual([]);
  });

  test("sends full batches immediately in sequence", async () => {
    const { clock, push, offer, sent } = await loop({
      maxBatchPoints: 4,
      answers: Array(3).fill({ afterMs: 50 }),
    });
    push.start();
    offer(...[1, 2, 3, 4, 5].map((at) => row("a", at)));
    await clock.advance(5_000);
    expect(sent).toEqual([
      { at: 0, rows: ["a@1", "a@2"] },
      { at: 50, rows: ["a@3", "a@4"] },
      { at: 1_100, rows: ["a@5"] },
    ]);
  });

  test("retries the same rows ever more rarely, with one log line", async () => {
    const { clock, push, offer, sent, settled, counted, lines } = await loop({
      answers: Array(9).fill({ outcome: FAILED }),
      random: 1,
    });
    push.start();
    offer(row("a", 1));
    await clock.advance(400_000);
    expect(sent.map(({ at }) => at / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 64, 124, 184, 244]);
    expect(new Set(sent.map(({ rows }) => rows.join()))).toEqual(new Set(["a@1"]));
    expect(settled).toEqual(["a@1"]);
    expect(counted).toEqual([...Array(9).fill("failed"), "delivered 2 live"]);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "cannot deliver measurements, retrying: connection refused",
      "measurements can be delivered again",
    ]);
    expect(lines[0]).toMatchObject({ level: 40, failures: 1, pending: 2 });
  });

  test("logs a continuing failure after ten minutes", async () => {
    const { clock, push, offer, lines } = await loop({ answers: Array(40).fill({ outcome: FAILED }), random: 1 });
    push.start();
    offer(row("a", 1));
    await clock.advance(25 * 60_000);
    expect(lines).toHaveLength(3);
  });

  test.each([
    { retryAfterMs: 30_000, next: 31_000 },
    { retryAfterMs: 0, next: 1_000 },
    { retryAfterMs: 24 * 3_600_000, next: 1_000 + 15 * 60_000 },
  ])("waits for the requested $retryAfterMs ms within limits", async ({ retryAfterMs, next }) => {
    const { clock, push, offer, sent } = await loop({ answers: [{ outcome: { ...FAILED, retryAfterMs } }] });
    push.start();
    offer(row("a", 1));
    await clock.advance(next - 1 + 1_000);
    const early = sent.filter(({ at }) => at > 1_000 && at < next);
    await clock.advance(5_000);
    expect(early).toEqual([]);
    expect(sent).toHaveLength(2);
  });

  test("does not send newer rows of a sensor before failed ones", async () => {
    const { clock, push, offer, sent } = await loop({ answers: [{ outcome: FAILED }], maxBatchPoints: 4 });
    push.start();
    offer(row("a", 1));
    await clock.advance(1_000);
    offer(row("b", 1), row("a", 2));
    await clock.advance(10_000);
    expect(sent.map(({ rows }) => rows)).toEqual([["a@1"], ["a@1", "a@2"], ["b@1"]]);
  });

  test("accepts a rejection as final", async () => {
    const { clock, push, offer, settled, counted, lines, outbox } = await loop({
      answers: [{ rejected: { rejectedPoints: 2, message: "HTTP 400" } }],
    });
    push.start();
    offer(row("a", 1, "short"));
    await clock.advance(2_000);
    expect(settled).toEqual(["a@300000"]);
    expect(counted).toEqual(["rejected 2 short"]);
    expect(outbox.points).toBe(0);
    expect(lines).toMatchObject([
      { level: 40, msg: "the receiver rejected measurements permanently: HTTP 400", points: 2, resolution: "short" },
    ]);
  });

  test("counts partly rejected rows", async () => {
    const { clock, push, offer, settled, counted } = await loop({
      answers: [
        { rejected: { rejectedPoints: 3, message: "out of order" } },
        { rejected: { rejectedPoints: 99, message: "out of order" } },
      ],
    });
    push.start();
    offer(row("a", 1), row("a", 2));
    await clock.advance(2_000);
    offer(row("a", 3));
    await clock.advance(2_000);
    expect(settled).toEqual(["a@1", "a@2", "a@3"]);
    expect(counted).toEqual(["rejected 3 live", "delivered 1 live", "rejected 2 live"]);
  });

  test("logs rejected rows at most once a minute, with their number", async () => {
    const { clock, push, offer, lines } = await loop({
      answers: Array(5).fill({ rejected: { rejectedPoints: 2, message: "HTTP 400" } }),
    });
    push.start();
    for (const at of [1, 2, 3, 4, 5]) {
      offer(row("a", at));
      await clock.advance(20_000);
    }
    expect(lines.map(({ points }) => points)).toEqual([2, 6]);
  });

  test("settles the delivered part of a failed batch at once, which ends the backoff", async () => {
    const { clock, push, offer, sent, settled, counted } = await loop({
      answers: [...Array(3).fill({ outcome: FAILED }), ...Array(3).fill({ outcome: FAILED, settles: 1 })],
      random: 1,
    });
    push.start();
    offer(row("a", 1), row("b", 1), row("c", 1), row("d", 1));
    await clock.advance(60_000);
    expect(sent.map(({ at, rows }) => [at, rows.join(" ")])).toEqual([
      [1_000, "a@1 b@1 c@1 d@1"],
      [2_000, "a@1 b@1 c@1 d@1"],
      [4_000, "a@1 b@1 c@1 d@1"],
      [8_000, "a@1 b@1 c@1 d@1"],
      [9_000, "b@1 c@1 d@1"],
      [10_000, "c@1 d@1"],
      [11_000, "d@1"],
    ]);
    expect(settled).toEqual(["a@1", "b@1", "c@1", "d@1"]);
    expect(counted.filter((line) => line !== "failed")).toEqual(Array(4).fill("delivered 2 live"));
  });

  test("rows that cannot be sent do not end the backoff", async () => {
    const { clock, push, offer, sent } = await loop({
      answers: [{ outcome: FAILED }, { outcome: FAILED, settles: 1, isSkipped: true }, { outcome: FAILED }],
      random: 1,
    });
    push.start();
    offer(row("a", 1), row("b", 1));
    await clock.advance(60_000);
    expect(sent.map(({ at }) => at)).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  test("survives an exception of the sink", async () => {
    const { clock, push, offer, sent, settled } = await loop({});
    const thrown = await loop({});
    const failing = new Delivery({
      outbox: thrown.outbox,
      clock,
      maxBatchPoints: 10,
      random: () => 0,
      log: pino({ level: "silent" }),
      sink: { deliver: () => Promise.reject(new Error("a bug")) },
      observer: measurementRecorder(emptyMetrics(), "hq"),
      watermarks: await emptyWatermarks(),
    });
    failing.start();
    thrown.outbox.offer(row("a", 1));
    failing.notify();
    push.start();
    offer(row("a", 1));
    await clock.advance(5_000);
    expect(thrown.outbox.pointsToTake).toBe(2);
    expect([sent.length, settled.length]).toEqual([1, 1]);
  });
});

describe("flush", () => {
  test("sends remaining rows immediately and ends", async () => {
    const subject = await loop({ maxBatchPoints: 4, answers: Array(9).fill({ afterMs: 20 }) });
    subject.push.start();
    subject.offer(row("a", 1), row("b", 1), row("c", 1));
    expect(await flush(subject, 10_000)).toBe(40);
    expect(subject.settled).toEqual(["a@1", "b@1", "c@1"]);
    subject.offer(row("d", 1));
    await subject.clock.advance(60_000);
    expect(subject.sent).toHaveLength(2);
    expect(subject.clock.pending).toEqual([]);
  });

  test("ends immediately without rows, also before its start", async () => {
    const idle = await loop({});
    idle.push.start();
    await idle.clock.advance(1_000);
    expect(await flush(idle, 10_000)).toBe(0);
    expect(await flush(await loop({}), 10_000)).toBe(0);
  });

  test("waits for current requests", async () => {
    const subject = await loop({ answers: [{ afterMs: 5_000 }] });
    subject.push.start();
    subject.offer(row("a", 1));
    await subject.clock.advance(1_500);
    expect(await flush(subject, 10_000)).toBe(4_500);
    expect(subject.settled).toEqual(["a@1"]);
  });

  test("begins no request in the last fifth of the time, so that the last one can be answered", async () => {
    const subject = await loop({ maxBatchPoints: 2, answers: Array(20).fill({ afterMs: 1_900 }) });
    subject.push.start();
    subject.offer(...Array.from({ length: 10 }, (_, sensor) => row(`${sensor}`, 1)));
    expect(await flush(subject, 10_000)).toBe(9_500);
    expect(subject.sent).toHaveLength(5);
    expect(subject.settled).toHaveLength(5);
  });

  test("aborts current requests at the timeout", async () => {
    const subject = await loop({ answers: [{ afterMs: 60_000 }] });
    subject.push.start();
    subject.offer(row("a", 1));
    await subject.clock.advance(1_500);
    expect(await flush(subject, 10_000)).toBe(10_000);
    expect(subject.settled).toEqual([]);
    expect(subject.outbox.pointsToTake).toBe(2);
  });

  test("does not wait for a sink that ignores signals", async () => {
    const subject = await loop({ deaf: true, answers: [{ afterMs: 3_600_000 }] });
    subject.push.start();
    subject.offer(row("a", 1));
    await subject.clock.advance(1_500);
    expect(await flush(subject, 10_000)).toBe(10_000);
    expect(subject.outbox.pointsToTake).toBe(2);
  });

  test("shortens the backoff, with as many attempts as fit", async () => {
    const subject = await loop({ answers: Array(20).fill({ outcome: FAILED }), random: 1 });
    subject.push.start();
    subject.offer(row("a", 1));
    await subject.clock.advance(70_000);
    const before = subject.sent.length;
    expect(await flush(subject, 10_000)).toBeLessThan(10_000);
    expect(subject.sent.length).toBe(before + 1);
    expect(subject.outbox.pointsToTake).toBe(2);
  });

  test("retries within the time", async () => {
    const subject = await loop({ answers: Array(3).fill({ outcome: FAILED }), random: 1 });
    subject.push.start();
    subject.offer(row("a", 1));
    expect(await flush(subject, 10_000)).toBe(7_000);
    expect(subject.settled).toEqual(["a@1"]);
  });

  test.each([
    { retryAfterMs: 60_000, sent: 1, took: 0 },
    { retryAfterMs: 4_000, sent: 2, took: 3_500 },
  ])("respects the requested $retryAfterMs ms", async ({ retryAfterMs, sent, took }) => {
    const subject = await loop({ answers: [{ outcome: { ...FAILED, retryAfterMs } }] });
    subject.push.start();
    subject.offer(row("a", 1));
    await subject.clock.advance(1_500);
    expect(await flush(subject, 10_000)).toBe(took);
    expect(subject.sent).toHaveLength(sent);
  });
});
