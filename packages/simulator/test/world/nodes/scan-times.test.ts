import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import {
  type IntervalPeriod,
  lastDue,
  lastFailure,
  nextDue,
  type ScanTiming,
} from "../../../src/world/nodes/scan-times.ts";
import { mix } from "../../../src/world/noise.ts";
import { DAY, STARTED_AT } from "../fixtures.ts";

function timing(salt: number, ...seconds: [number, ...number[]]): ScanTiming {
  const [first, ...later] = seconds.map(
    (one, index): IntervalPeriod => ({ from: index === 0 ? -Infinity : STARTED_AT + index * DAY + 1234, seconds: one }),
  );
  if (first === undefined) throw new Error("no interval");
  return { salt, intervals: [first, ...later], requestedScans: [], isIrregular: true };
}

function scansOf(sensor: ScanTiming, from: number, to: number): number[] {
  const scans: number[] = [];
  for (let at = nextDue(sensor, from); at <= to; at = nextDue(sensor, at + 1)) scans.push(at);
  return scans;
}

/** How far the scans lie from a grid without lateness and drift, in seconds. */
function delays(sensor: ScanTiming, seconds: number, days: number): number[] {
  const offset = sensor.salt % seconds;
  return scansOf(sensor, STARTED_AT, STARTED_AT + days * DAY).map((at) => (at / 1000 - offset) % seconds);
}

const SALTS = Array.from({ length: 200 }, (_, index) => mix(5, index));

describe("irregular scans", () => {
  test("are the same in any order of reading, across changes of the interval", () => {
    const seconds = fc.constantFrom(10, 30, 60, 300, 600, 3600);
    fc.assert(
      fc.property(fc.nat(2 ** 31), fc.tuple(seconds, seconds, seconds), fc.nat(2 * DAY), (salt, intervals, after) => {
        const sensor = timing(salt, ...intervals);
        const from = STARTED_AT + after;
        const forwards = scansOf(sensor, from, from + DAY / 2);
        const backwards: number[] = [];
        for (let at = lastDue(sensor, from + DAY / 2); at >= from; at = lastDue(sensor, at - 1)) backwards.push(at);
        expect(backwards.reverse()).toEqual(forwards);
        for (const at of forwards) expect([lastDue(sensor, at), nextDue(sensor, at), at % 1000]).toEqual([at, at, 0]);
      }),
      { numRuns: runs(100), seed: 1 },
    );
  });

  test("are late in 1 to 3 percent, usually by a second", () => {
    const found = SALTS.flatMap((salt) => delays(timing(salt, 60), 60, 0.5));
    const late = found.filter((delay) => delay > 0);
    expect(late.length / found.length).toBeGreaterThan(0.01);
    expect(late.length / found.length).toBeLessThan(0.03);
    expect(late.filter((delay) => delay === 1).length / late.length).toBeGreaterThan(0.4);
    expect(Math.max(...late)).toBeGreaterThan(20);
  });

  test("drift by seconds over days if the interval is long", () => {
    const drifts = SALTS.map((salt) => {
      const usual = delays(timing(salt, 600), 600, 10).filter((delay) => delay <= 12);
      return Math.max(...usual) - Math.min(...usual);
    });
    expect(drifts.filter((drift) => drift >= 2).length).toBeGreaterThan(150);
    expect(Math.max(...drifts)).toBeLessThanOrEqual(12);
  });

  test("fail alone on a quarter of the sensors, and repeat 6 to 13 s later", () => {
    const end = STARTED_AT + DAY;
    const failures = SALTS.flatMap((salt) => {
      const sensor = timing(salt, 60);
      const found = lastFailure(sensor, end);
      if (found === undefined) return [];
      expect(nextDue(sensor, found.at + 1)).toBe(found.repeatedAt);
      expect(end - found.at).toBeLessThan(2 * 128 * 60_000);
      expect(lastFailure(sensor, found.at - 1)?.at).toBeLessThan(found.at);
      return [(found.repeatedAt - found.at) / 1000];
    });
    expect(failures.length).toBeGreaterThan(30);
    expect(failures.length).toBeLessThan(70);
    expect([Math.min(...failures), Math.max(...failures)]).toEqual([6, 13]);
  });

  test.each([10, 60, 600])("stay even every %i s unless marked", (seconds) => {
    const sensor = { ...timing(77, seconds), isIrregular: false };
    const scans = scansOf(sensor, STARTED_AT, STARTED_AT + DAY / 10);
    expect(new Set(scans.slice(1).map((at, index) => at - (scans[index] ?? 0)))).toEqual(new Set([seconds * 1000]));
  });
});
