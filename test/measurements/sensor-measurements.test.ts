import { describe, expect, test } from "vitest";
import type { Coverage, MeasurementRow, Resolution } from "../../src/measurements/measurement.ts";
import {
  type ListContext,
  type ListMeasurement,
  SensorMeasurements,
} from "../../src/measurements/sensor-measurements.ts";
import { upTo } from "./support/coverage.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const BASE = Date.UTC(2026, 0, 15, 12);

const point = (at: number): ListMeasurement => ({ at, values: [["0", at]] });
const row = (at: number, resolution: Resolution = "live"): MeasurementRow => ({
  sensorId: "7",
  at,
  resolution,
  values: [["0", 1]],
});
/** Nothing answered: Downtime alone has a value. */
const failedRow = (at: number): MeasurementRow => ({ ...row(at), values: [["-4", 100]] });

function judging(more: Partial<ListContext> = {}): ListContext {
  return { mode: "auto", pushes: true, now: BASE + 5 * MINUTE, ...more };
}

function sensor(watermark: number | Coverage | undefined, intervalMs = MINUTE): SensorMeasurements {
  const sync = new SensorMeasurements("7", typeof watermark === "number" ? upTo(watermark) : watermark);
  sync.setInterval(intervalMs);
  return sync;
}

describe("measurement in a list", () => {
  test.each([
    { after: 60 * SECOND, verdict: "next" },
    { after: 75 * SECOND, verdict: "next" },
    { after: 76 * SECOND, verdict: "gap" },
    { after: 0, verdict: "known" },
    { after: -60 * SECOND, verdict: "known" },
  ])("$after ms after the last one sent is $verdict at an interval of a minute", ({ after, verdict }) => {
    const sync = sensor(undefined);
    sync.take(row(BASE), "list");
    expect(sync.observe(point(BASE + after), judging())).toBe(verdict);
    expect(sync.hasGap).toBe(verdict === "gap");
  });

  test.each([
    { origin: "series", after: 18 * SECOND, verdict: "known" },
    { origin: "series", after: -30 * SECOND, verdict: "known" },
    { origin: "series", after: 19 * SECOND, verdict: "next" },
    { origin: "list", after: 1, verdict: "next" },
    { origin: "list", after: 30 * SECOND, verdict: "next" },
  ] as const)("$after ms after a row from a $origin is $verdict", ({ origin, after, verdict }) => {
    const sync = sensor(undefined);
    sync.take(row(BASE), origin);
    expect(sync.observe(point(BASE + after), judging())).toBe(verdict);
  });

  test.each([
    { name: "its repetition", failures: 1, after: 15 * SECOND, verdict: "next" },
    { name: "a scan that is too late for a repetition", failures: 1, after: 15 * SECOND + 1, verdict: "gap" },
    { name: "the next scan, which may come after a repetition", failures: 1, after: 60 * SECOND, verdict: "gap" },
    { name: "a scan after two failures, which PRTG does not repeat", failures: 2, after: 60 * SECOND, verdict: "next" },
  ])("after a failed scan, $name is $verdict", ({ failures, after, verdict }) => {
    const sync = sensor(undefined);
    for (let count = failures; count > 0; count--) sync.take(failedRow(BASE - (count - 1) * 60 * SECOND), "list");
    expect(sync.observe(point(BASE + after), judging())).toBe(verdict);
  });

  test.each([{ mode: "off" }, { pushes: false }] as const)("after a failed scan is next with %j", (more) => {
    const sync = sensor(undefined);
    sync.take(failedRow(BASE), "list");
    expect(sync.observe(point(BASE + 60 * SECOND), judging(more))).toBe("next");
  });

  test.each([
    { name: "the same scan", after: 0, verdict: "known" },
    { name: "its repetition", after: 8 * SECOND, verdict: "next" },
    { name: "the next scan, which may come after a repetition", after: 60 * SECOND, verdict: "gap" },
  ])("after a watermark of a failed scan, $name is $verdict", ({ after, verdict }) => {
    expect(sensor({ until: BASE, kind: "failed scan" }).observe(point(BASE + after), judging())).toBe(verdict);
  });

  test("near a watermark is known", () => {
    expect(sensor(BASE).observe(point(BASE + 18 * SECOND), judging())).toBe("known");
    expect(sensor(BASE).observe(point(BASE + 40 * SECOND), judging())).toBe("next");
  });

  test("matches a row of the series once, and an additional scan is new", () => {
    const sync = sensor(undefined);
    sync.take(row(BASE), "series");
    expect(sync.observe(point(BASE + SECOND), judging())).toBe("known");
    expect(sync.observe(point(BASE + 20 * SECOND), judging())).toBe("next");
  });

  test("is known if the list came before the series", () => {
    const sync = sensor(BASE - HOUR);
    expect(sync.observe(point(BASE + SECOND), judging())).toBe("gap");
    sync.take(row(BASE), "series");
    expect(sync.readThrough(BASE + SECOND, true)).toBe(false);
    expect(sync.observe(point(BASE + 20 * SECOND), judging())).toBe("next");
  });

  test("waits while there is a gap", () => {
    const sync = sensor(BASE);
    expect(sync.observe(point(BASE + 3 * MINUTE), judging())).toBe("gap");
    expect(sync.observe(point(BASE + 4 * MINUTE), judging())).toBe("gap");
    sync.take(row(BASE + MINUTE), "series");
    expect(sync.observe(point(BASE + 5 * MINUTE), judging())).toBe("gap");
  });

  test("waits after dropped rows at any distance", () => {
    const sync = sensor(undefined);
    sync.take(row(BASE + 10 * MINUTE), "list");
    sync.fallBack(upTo(BASE));
    expect(sync.covered).toBe(BASE);
    expect(sync.observe(point(BASE + MINUTE), judging())).toBe("gap");
    sync.take(row(BASE + MINUTE), "series");
    expect(sync.readThrough(BASE + MINUTE, true)).toBe(false);
    expect(sync.observe(point(BASE + 2 * MINUTE), judging())).toBe("next");
  });

  test.each([
    { more: {}, age: HOUR, verdict: "gap", why: "starts from the live series" },
    { more: {}, age: 4 * HOUR + 1, verdict: "known", why: "has nothing in the live series" },
    { more: { pushes: false }, age: HOUR, verdict: "next", why: "starts from the list when nothing is pushed" },
    { more: { mode: "off" }, age: HOUR, verdict: "next", why: "starts from the list when series are off" },
    { more: { mode: "all" }, age: HOUR, verdict: "known", why: "waits for the series when all are read" },
  ] as const)("without a watermark of its sensor $why", ({ more, age, verdict }) => {
    const { now } = judging();
    expect(sensor(undefined).observe(point(now - age), judging(more))).toBe(verdict);
  });

  test("is next after a gap without series, and waits if all series are read", () => {
    expect(sensor(BASE).observe(point(BASE + HOUR), judging({ mode: "off" }))).toBe("next");
    const all = sensor(BASE);
    expect(all.observe(point(BASE + HOUR), judging({ mode: "all" }))).toBe("known");
    expect(all.hasGap).toBe(false);
  });
});

describe("sensor without a push", () => {
  /** Verdicts for lists with measurements at these seconds. */
  function verdicts(...seconds: readonly number[]): string[] {
    const sync = sensor(undefined);
    return [0, ...seconds].map((after) => {
      const verdict = sync.observe(point(BASE + after * SECOND), judging({ pushes: false }));
      if (verdict === "next") sync.take(row(BASE + after * SECOND), "list");
      return verdict;
    });
  }

  test("is due from the second consecutive list that skips measurements", () => {
    expect(verdicts(120, 240)).toEqual(["next", "next", "gap"]);
    expect(verdicts(120, 180, 300)).toEqual(["next", "next", "next", "next"]);
    expect(verdicts(60, 180, 300)).toEqual(["next", "next", "next", "gap"]);
  });

  test("stays due if channels have slightly later times", () => {
    expect(verdicts(120, 121, 240)).toEqual(["next", "next", "next", "gap"]);
  });

  test("stays due after a read even if the series was newer than the list", () => {
    const sync = sensor(undefined);
    for (const after of [0, 120, 240]) {
      const at = BASE + after * SECOND;
      if (sync.observe(point(at), judging({ pushes: false })) === "next") sync.take(row(at), "list");
    }
    sync.take(row(BASE + 260 * SECOND), "series");
    expect(sync.readThrough(BASE + 240 * SECOND, true)).toBe(false);
    expect(sync.observe(point(BASE + 360 * SECOND), judging({ pushes: false }))).toBe("gap");
  });
});

describe("sensor in step", () => {
  const torn = { oldest: BASE, newest: BASE + MINUTE };
  const complete = { oldest: BASE + MINUTE, newest: BASE + MINUTE };

  test.each<[what: string, isInStep: boolean, change: (sync: SensorMeasurements) => void]>([
    ["after its last measurement", true, (sync) => sync.observe(point(BASE), judging())],
    ["with a gap", false, (sync) => sync.observe(point(BASE + HOUR), judging())],
    ["after dropped rows", false, (sync) => sync.fallBack(upTo(BASE - MINUTE))],
    ["after a list that a scan tore", false, (sync) => sync.takesList(torn, "off")],
    ["after a complete list", true, (sync) => [torn, complete].map((times) => sync.takesList(times, "off"))],
    ["after its clock went back", false, (sync) => sync.followClock(BASE - HOUR, BASE - HOUR)],
  ])("%s: %s", (_what, isInStep, change) => {
    const sync = sensor(BASE);
    change(sync);
    expect(sync.isInStep).toBe(isInStep);
  });
});

describe("end of what was sent", () => {
  test.each([
    { watermark: { until: BASE + 299_999, kind: "average" }, endsInAverage: true },
    { watermark: BASE, endsInAverage: false },
    { watermark: undefined, endsInAverage: false },
  ] as const)("is an average after a restart: $endsInAverage for $watermark.until", ({ watermark, endsInAverage }) => {
    expect(sensor(watermark).endsInAverage).toBe(endsInAverage);
  });

  test("is an average until a live row follows", () => {
    const sync = sensor(undefined);
    sync.take(row(BASE, "short"), "series");
    expect(sync.endsInAverage).toBe(true);
    sync.take(row(BASE + HOUR), "series");
    expect(sync.endsInAverage).toBe(false);
  });
});

describe("interval of a sensor", () => {
  test("comes from the server, then the series, or is a minute", () => {
    const sync = new SensorMeasurements("7", upTo(BASE));
    expect(sync.intervalMs).toBe(MINUTE);
    sync.learnInterval(10 * SECOND);
    expect(sync.intervalMs).toBe(10 * SECOND);
    sync.learnInterval(undefined);
    expect(sync.intervalMs).toBe(10 * SECOND);
    sync.setInterval(30 * SECOND);
    expect(sync.intervalMs).toBe(30 * SECOND);
  });
});

describe("tolerance for rows of a series", () => {
  test.each([
    { name: "a list", take: (sync: SensorMeasurements) => sync.take(row(BASE), "list"), within: 18 * SECOND },
    { name: "a series", take: (sync: SensorMeasurements) => sync.take(row(BASE), "series"), within: 0 },
    { name: "a failed scan", take: (sync: SensorMeasurements) => sync.take(failedRow(BASE), "list"), within: 0 },
    { name: "averages", take: (sync: SensorMeasurements) => sync.take(row(BASE, "short"), "series"), within: 0 },
    { name: "a watermark", take: (sync: SensorMeasurements) => sync.fallBack(upTo(BASE + 1)), within: 18 * SECOND },
    {
      name: "an average's watermark",
      take: (sync: SensorMeasurements) => sync.fallBack({ until: BASE + 299_999, kind: "average" }),
      within: 0,
    },
  ])("is $within ms after $name", ({ take, within }) => {
    const sync = sensor(undefined);
    take(sync);
    expect(sync.sameInSeriesWithinMs).toBe(within);
  });

  test("ends with a restart after averages and failed scans", () => {
    expect(sensor({ until: BASE + 299_999, kind: "average" }).sameInSeriesWithinMs).toBe(0);
    expect(sensor({ until: BASE, kind: "failed scan" }).sameInSeriesWithinMs).toBe(0);
    expect(sensor(BASE).sameInSeriesWithinMs).toBe(18 * SECOND);
  });
});

describe("after a read", () => {
  function withGap(): SensorMeasurements {
    const sync = sensor(BASE - HOUR);
    sync.observe(point(BASE), judging());
    return sync;
  }

  test("a series that reaches the list's measurement closes the gap", () => {
    const sync = withGap();
    sync.take(row(BASE), "series");
    expect(sync.readThrough(BASE, true)).toBe(false);
    expect(sync.hasGap).toBe(false);
  });

  test("a series that lacks only the last measurement leaves it to the list", () => {
    const sync = withGap();
    sync.take(row(BASE - MINUTE), "series");
    expect(sync.readThrough(BASE, true)).toBe(true);
    expect(sync.hasGap).toBe(false);
  });

  test("a series that lacks more gets reads while it returns more", () => {
    const sync = withGap();
    for (const minutes of [20, 10, 5]) {
      sync.take(row(BASE - minutes * MINUTE), "series");
      expect(sync.readThrough(BASE, true)).toBe(false);
      expect(sync.hasGap).toBe(true);
    }
    expect(sync.readThrough(BASE, false)).toBe(false);
    expect(sync.readThrough(BASE, false)).toBe(true);
    expect(sync.hasGap).toBe(false);
  });

  test("a series whose last gap reaches the measurement leaves it to the list", () => {
    const reading = (reachedAt: number) => {
      const sync = withGap();
      sync.take(row(BASE - 20 * MINUTE), "series");
      return [sync.readThrough(BASE, true, reachedAt), sync.hasGap];
    };
    expect(reading(BASE)).toEqual([true, false]);
    expect(reading(BASE + MINUTE)).toEqual([true, false]);
    expect(reading(BASE - MINUTE)).toEqual([false, true]);
  });

  test("an average that ends with the list's measurement includes it", () => {
    const sync = withGap();
    sync.take(row(BASE - 5 * MINUTE, "short"), "series");
    expect(sync.readThrough(BASE, true)).toBe(false);
    expect(sync.hasGap).toBe(false);
  });

  test("a failure causes longer waits, up to an hour, until a success", () => {
    const sync = withGap();
    const waits: number[] = [];
    for (let failures = 0; failures < 8; failures++) {
      sync.recordFailure(0);
      let wait = 0;
      while (!sync.mayBeRead(wait)) wait += MINUTE;
      waits.push(wait / MINUTE);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    sync.recordRead();
    expect(sync.mayBeRead(0)).toBe(true);
    sync.recordFailure(0);
    expect(sync.mayBeRead(MINUTE)).toBe(true);
  });
});

describe("server whose clock was ahead", () => {
  const at = (minutes: number): number => BASE + minutes * MINUTE;

  test("continues from its list after a correction and repeats nothing", () => {
    const sync = sensor(at(120));
    expect(sync.isAhead(at(1))).toBe(true);
    sync.followClock(at(1), at(1));
    expect(sync.observe(point(at(1)), judging({ now: at(1) }))).toBe("next");
    sync.take(row(at(1)), "list");
    expect(sync.sendsUpTo(at(1))).toBe(at(1));
    // The clock is ahead again.
    sync.followClock(at(130), at(130));
    expect(sync.covered).toBe(at(120));
    expect(sync.observe(point(at(130)), judging({ now: at(130) }))).toBe("gap");
    expect(sync.sendsUpTo(at(130))).toBeGreaterThan(at(130));
  });

  test("continues until its clock reaches the old time again", () => {
    const sync = sensor(at(20));
    for (let minute = 0; minute < 22; minute++) {
      if (sync.isAhead(at(minute))) sync.followClock(at(minute), at(minute));
      expect(sync.observe(point(at(minute)), judging({ now: at(minute) }))).toBe("next");
      sync.take(row(at(minute)), "list");
    }
    expect(sync.isAhead(at(21))).toBe(false);
    expect(sync.covered).toBe(at(21));
  });

  test("loses the newest list time, which would hide later lists", () => {
    const sync = sensor(undefined);
    sync.observe({ at: at(120), values: [] }, { mode: "auto", pushes: false, now: at(120) });
    expect(sync.isAhead(at(120))).toBe(false);
    sync.followClock(at(1), at(1));
    expect(sync.newest).toBeUndefined();
  });

  test.each([
    ["lists still show what was sent last", at(120)],
    ["lists show newer measurements", at(121)],
    ["lists show older ones that are still in its future", at(90)],
  ])("stays ahead with a false correction: %s", (_, listed) => {
    const sync = sensor(at(120));
    sync.followClock(listed, at(0));
    expect(sync.covered).toBe(at(120));
  });

  test("needs a list that was read after the series as proof", () => {
    const sync = sensor(at(100));
    sync.take(row(at(120)), "series");
    sync.followClock(at(1), at(1));
    expect(sync.covered).toBe(at(120));
    sync.endList();
    sync.followClock(at(2), at(2));
    expect(sync.covered).toBeLessThan(at(1));
    // The series has both and nothing earlier.
    expect(sync.covered).toBeGreaterThan(at(0));
    expect(sync.observe(point(at(2)), judging({ now: at(2) }))).toBe("gap");
  });

  test("needs no correction for small differences", () => {
    expect(sensor(BASE + 30 * SECOND).isAhead(BASE)).toBe(false);
  });
});
