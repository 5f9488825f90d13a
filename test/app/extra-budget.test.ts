import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { ExtraBudget } from "../../src/app/extra-budget.ts";
import type { Load } from "../../src/lib/load/pressure.ts";
import { OWN_METRICS, type OwnMetric } from "../../src/telemetry/own-metrics.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const IDLE: Load = { loop: 0.1, processor: 0.1, heap: 0.3, delayMs: 2 };
const BUSY: Load = { ...IDLE, loop: 1 };
const never = new AbortController().signal;

function started(cycleMs = MINUTE) {
  const clock = new ManualClock();
  const metrics = emptyMetrics();
  const lines: { level: number; msg: string; deferred?: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const measured = { load: IDLE, isClosed: false };
  const openLoadMeter = () => ({
    read: () => measured.load,
    close: () => {
      measured.isClosed = true;
    },
  });
  const budget = new ExtraBudget({ clock, log, metrics, openLoadMeter, cycleMs: () => cycleMs });
  const stop = new AbortController();
  const running = budget.run(stop.signal);
  onTestFinished(() => {
    stop.abort();
    return running;
  });
  const value = async (metric: OwnMetric, collector?: string) =>
    (await metrics.samples(metric)).find(({ labels }) => labels.collector === collector)?.value;
  return { clock, budget, lines, measured, stop, running, value };
}

/** Units of work, always more than can be done. */
async function pass({ clock, budget }: ReturnType<typeof started>, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    const until = clock.monotonic() + SECOND;
    const request = { collector: "timeseries", ageMs: MINUTE, cost: 1, until };
    const units = Array.from({ length: 300 }, () => budget.work.ask(request, never));
    await clock.advance(SECOND);
    const leaves = await Promise.all(units);
    for (const leave of leaves) leave?.end();
    budget.work.deferred("timeseries", leaves.filter((leave) => leave === undefined).length);
  }
}

test("a busy process is told by figures and by one line, and so is that it is over", async () => {
  const subject = started();
  const { clock, lines, measured, value } = subject;
  const { allowed, deferred, heldBack, loop } = OWN_METRICS.extras;
  await clock.advance(10 * SECOND);
  expect([await value(deferred, "timeseries"), await value(heldBack)]).toEqual([0, 0]);
  measured.load = BUSY;
  await pass(subject, 60);
  expect(await value(loop)).toBeCloseTo(1);
  expect(await value(allowed)).toBeLessThan(10);
  expect(await value(heldBack)).toBe(1);
  expect(await value(deferred, "timeseries")).toBeGreaterThan(10_000);
  // Limits wait, and are never left for later.
  expect(await value(deferred, "limits")).toBeUndefined();
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [40, "the process is busy: time series are read later than they are due; values and statuses are not"],
  ]);
  measured.load = IDLE;
  await clock.advance(4 * MINUTE);
  expect([await value(heldBack), lines.length]).toEqual([1, 1]);
  await clock.advance(2 * MINUTE);
  expect(await value(heldBack)).toBe(0);
  expect(lines.slice(1)).toMatchObject([
    { level: 30, msg: "time series are read when they are due again", deferred: await value(deferred, "timeseries") },
  ]);
});

test("it goes on between two cycles of time series, however far they are apart", async () => {
  const subject = started(30 * MINUTE);
  const { clock, lines, measured, value } = subject;
  const { heldBack } = OWN_METRICS.extras;
  measured.load = BUSY;
  for (let cycle = 0; cycle < 3; cycle++) {
    await pass(subject, 5);
    await clock.advance(30 * MINUTE - 5 * SECOND);
    expect(await value(heldBack)).toBe(1);
  }
  expect(lines).toHaveLength(1);
  measured.load = IDLE;
  await clock.advance(16 * MINUTE);
  expect(await value(heldBack)).toBe(0);
});

test("short pressure that keeps nothing from its time is not told", async () => {
  const { clock, budget, lines, measured } = started();
  const leave = await budget.work.ask({ collector: "timeseries", ageMs: 0, cost: 1, until: MINUTE }, never);
  leave?.end();
  measured.load = BUSY;
  await clock.advance(5 * SECOND);
  expect(budget.isHeldBack).toBe(false);
  expect(lines).toEqual([]);
});

test("ends with its meter closed", async () => {
  const { clock, measured, stop, running } = started();
  await clock.advance(SECOND);
  stop.abort();
  await running;
  expect(measured.isClosed).toBe(true);
});
