import { describe, expect, test } from "vitest";
import { SensorMeasurements } from "../../src/measurements/sensor-measurements.ts";
import { CycleBudget, dueSensors, SeriesCycle, SeriesHealth } from "../../src/measurements/series-cycle.ts";
import { FREE_EXTRAS } from "../support/free-extras.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { upTo } from "./support/coverage.ts";

const MINUTE = 60_000;
const BASE = Date.UTC(2026, 0, 15, 12);

function sensor(id: string, covered: number | undefined, gap = true): SensorMeasurements {
  const sensor = new SensorMeasurements(id, covered === undefined ? undefined : upTo(covered));
  if (gap) sensor.observe({ at: BASE, values: [] }, { mode: "auto", pushes: true, now: BASE });
  return sensor;
}

describe("dueSensors", () => {
  const inStep = sensor("in step", BASE);
  const young = sensor("young", BASE - 10 * MINUTE);
  const old = sensor("old", BASE - 100 * MINUTE);
  const fresh = sensor("new", undefined);
  const all = [inStep, young, old, fresh];

  test("lists sensors with a gap in auto, the oldest first", () => {
    expect(dueSensors(all, "auto", 0).map(({ sensorId }) => sensorId)).toEqual(["new", "old", "young"]);
  });

  test("lists all sensors in all, the longest unread first", () => {
    const read = all.map(
      ({ sensorId, covered }) => new SensorMeasurements(sensorId, covered === undefined ? undefined : upTo(covered)),
    );
    for (const [index, sensor] of read.entries()) sensor.lastReadAt = index === 2 ? undefined : 100 - index;
    expect(dueSensors(read, "all", 0).map(({ sensorId }) => sensorId)).toEqual(["old", "new", "young", "in step"]);
  });

  test("lists no sensors in off", () => {
    expect(dueSensors(all, "off", 0)).toEqual([]);
  });

  test("omits sensors that failed recently", () => {
    const failing = sensor("failing", BASE - 500 * MINUTE);
    failing.recordFailure(1_000);
    expect(dueSensors([failing, old], "auto", 1_000 + MINUTE - 1)).toEqual([old]);
    expect(dueSensors([failing, old], "auto", 1_000 + MINUTE)).toEqual([failing, old]);
  });
});

describe("CycleBudget", () => {
  async function starts(requests: number, expected: number, count: number): Promise<number[]> {
    const clock = new ManualClock();
    const budget = new CycleBudget(clock, { requests, periodMs: MINUTE }, expected);
    const taken: number[] = [];
    const work = async (): Promise<void> => {
      for (let index = 0; index < count && budget.allows(1); index++) {
        await budget.next(never);
        taken.push(clock.monotonic());
      }
    };
    await Promise.all([work(), clock.advance(2 * MINUTE)]);
    return taken;
  }

  test("spreads many requests over the period", async () => {
    const taken = await starts(600, 540, 540);
    expect(taken).toHaveLength(540);
    expect(taken[1]).toBe(100);
    expect(taken.at(-1)).toBeLessThan(MINUTE);
  });

  test("sends few requests within seconds", async () => {
    expect(await starts(600, 3, 3)).toEqual([0, 1_000, 2_000]);
  });

  test("ends with the budget", async () => {
    expect(await starts(5, 100, 100)).toHaveLength(5);
  });

  test("ends with the period", async () => {
    const taken = await starts(1_000, 2, 1_000);
    expect(taken).toHaveLength(60);
    expect(taken.at(-1)).toBe(59_000);
  });

  test("reports if several requests fit", async () => {
    const budget = new CycleBudget(new ManualClock(), { requests: 3, periodMs: MINUTE }, 3);
    expect([budget.allows(3), budget.allows(4)]).toEqual([true, false]);
    await budget.next(never);
    expect([budget.allows(2), budget.allows(3)]).toEqual([true, false]);
  });

  test("stops its wait on a signal", async () => {
    const clock = new ManualClock();
    const budget = new CycleBudget(clock, { requests: 3, periodMs: MINUTE }, 3);
    await budget.next(never);
    const stop = new AbortController();
    const waiting = budget.next(stop.signal);
    stop.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
  });
});

describe("SeriesHealth", () => {
  test.each([
    { wasSent: false, after: 45_000 },
    { wasSent: true, after: 3 * MINUTE },
  ])("replaces series $after ms after the first list without them, wasSent: $wasSent", ({ wasSent, after }) => {
    const health = new SeriesHealth();
    health.list(0);
    health.fail(new Error("series"));
    health.list(1_000);
    health.list(1_000 + after - 1);
    expect(health.replacesSeries(wasSent)).toBe(false);
    health.list(1_000 + after);
    expect(health.replacesSeries(wasSent)).toBe(true);
  });
});

test("a request of a cycle that was stopped does not start", async () => {
  const budget = new CycleBudget(new ManualClock(), { requests: 5, periodMs: MINUTE }, 5);
  await expect(budget.next(AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
});

describe("a cycle that is aborted", () => {
  function cycleOf(signal: AbortSignal, timeSeries: () => void) {
    const clock = new ManualClock();
    const due = [sensor("1", BASE - MINUTE)];
    const api = {
      timeSeries: async () => {
        timeSeries();
        return { rows: [], gaps: [], skipped: 0 };
      },
    };
    const cycle = new SeriesCycle(due, {
      ...{ api, clock, mode: "auto", delivery: undefined, extras: FREE_EXTRAS },
      limits: { requests: 10, periodMs: MINUTE },
      serverNow: () => clock.now(),
      onRead: () => undefined,
    });
    return { cycle, run: cycle.run(signal) };
  }

  test("before its first read rejects with the reason, without a request", async () => {
    let requests = 0;
    const { run } = cycleOf(AbortSignal.abort(new Error("stop")), () => requests++);
    await expect(run).rejects.toThrow("stop");
    expect(requests).toBe(0);
  });

  test("during its last read rejects with the reason, even if that read succeeds", async () => {
    const stop = new AbortController();
    const { cycle, run } = cycleOf(stop.signal, () => stop.abort(new Error("stop")));
    await expect(run).rejects.toThrow("stop");
    expect(cycle.read).toBe(1);
  });
});
