import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { ExtraBudget } from "../../src/app/extra-budget.ts";
import { EXPORTER_METRICS, type MetricDeclaration } from "../../src/telemetry/metric-declarations.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Share of the time. */
const IDLE = 0.1;
const BUSY = 1;

function started(cycleMs = MINUTE) {
  const clock = new ManualClock();
  const metrics = emptyMetrics();
  const lines: { level: number; msg: string; deferred?: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const loop = { busyMs: 0, since: 0, utilization: IDLE };
  const eventLoopBusyMs = () => loop.busyMs + (clock.monotonic() - loop.since) * loop.utilization;
  const setUtilization = (utilization: number) => {
    Object.assign(loop, { busyMs: eventLoopBusyMs(), since: clock.monotonic(), utilization });
  };
  const budget = new ExtraBudget({ clock, log, metrics, eventLoopBusyMs, cycleMs: () => cycleMs });
  const stop = new AbortController();
  const running = budget.run(stop.signal);
  onTestFinished(() => {
    stop.abort();
    return running;
  });
  const value = async (metric: MetricDeclaration, collector?: string) =>
    (await metrics.samples(metric)).find(({ labels }) => labels.collector === collector)?.value;
  return { clock, budget, lines, setUtilization, value };
}

/** More work than the budget allows. */
async function pass({ clock, budget }: ReturnType<typeof started>, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    const deadline = clock.monotonic() + SECOND;
    const reads = Array.from({ length: 300 }, async () => {
      const end = await budget.work.acquire({ collector: "timeseries", ageMs: MINUTE, deadline }, never);
      if (end === undefined) budget.work.countDeferred(1);
      else void clock.sleep(SECOND / 4).then(end);
    });
    await clock.advance(SECOND);
    await Promise.all(reads);
  }
}

test.each([
  { utilization: 0, shown: 0 },
  { utilization: 0.3, shown: 0.3 },
  { utilization: 0.9, shown: 0.9 },
  // Timers are late in a busy process.
  { utilization: 1.2, shown: 1 },
])("follows the busy share of the event loop: $utilization", async ({ utilization, shown }) => {
  const { clock, setUtilization, value } = started();
  setUtilization(utilization);
  await clock.advance(10 * SECOND);
  expect(await value(EXPORTER_METRICS.extras.loop)).toBeCloseTo(shown);
});

test("metrics and one log line report a busy process and its end", async () => {
  const subject = started();
  const { clock, lines, setUtilization, value } = subject;
  const { deferred, heldBack, loop } = EXPORTER_METRICS.extras;
  await clock.advance(10 * SECOND);
  expect([await value(deferred, "timeseries"), await value(heldBack)]).toEqual([0, 0]);
  setUtilization(BUSY);
  await pass(subject, 60);
  expect(await value(loop)).toBeCloseTo(1);
  expect(await value(heldBack)).toBe(1);
  expect(await value(deferred, "timeseries")).toBeGreaterThan(10_000);
  // Limits wait but are never deferred.
  expect(await value(deferred, "limits")).toBeUndefined();
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [40, "the exporter is busy: it defers time series, but not values and statuses"],
  ]);
  setUtilization(IDLE);
  await clock.advance(4 * MINUTE);
  expect([await value(heldBack), lines.length]).toEqual([1, 1]);
  await clock.advance(2 * MINUTE);
  expect(await value(heldBack)).toBe(0);
  expect(lines.slice(1)).toMatchObject([
    { level: 30, msg: "time series are no longer deferred", deferred: await value(deferred, "timeseries") },
  ]);
});

test("pressure continues between two cycles of time series at any distance", async () => {
  const subject = started(30 * MINUTE);
  const { clock, lines, setUtilization, value } = subject;
  const { heldBack } = EXPORTER_METRICS.extras;
  setUtilization(BUSY);
  for (let cycle = 0; cycle < 3; cycle++) {
    await pass(subject, 5);
    await clock.advance(30 * MINUTE - 5 * SECOND);
    expect(await value(heldBack)).toBe(1);
  }
  expect(lines).toHaveLength(1);
  setUtilization(IDLE);
  await clock.advance(16 * MINUTE);
  expect(await value(heldBack)).toBe(0);
});

test("the log omits short pressure that delays nothing", async () => {
  const { clock, budget, lines, setUtilization, value } = started();
  const end = await budget.work.acquire({ collector: "timeseries", ageMs: 0, deadline: MINUTE }, never);
  end?.();
  setUtilization(BUSY);
  await clock.advance(5 * SECOND);
  expect(await value(EXPORTER_METRICS.extras.heldBack)).toBe(0);
  expect(lines).toEqual([]);
});
