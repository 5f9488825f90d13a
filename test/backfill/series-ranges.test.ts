import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planSeriesRanges, renewSeriesRanges, type SeriesRange } from "../../src/backfill/plan.ts";
import { SERIES_STEP_MS, SERIES_TYPES, SERIES_WINDOW_MS } from "../../src/prtg/series-types.ts";
import { DAY, HOUR, MINUTE, NOW } from "./history-server.ts";

/** `medium 2026-03-02T00:00Z 2026-03-10T19:00Z` */
function show(ranges: readonly SeriesRange[]): string[] {
  const minute = (at: number) => `${new Date(at).toISOString().slice(0, 16)}Z`;
  return ranges.map(({ type, from, to }) => `${type} ${minute(from)} ${minute(to)}`);
}

const auto = (from: number, to: number, now = NOW) => planSeriesRanges({ from, to, now }, SERIES_TYPES);

describe("planSpans", () => {
  test("takes the finest series for each part of the time", () => {
    expect(show(auto(NOW - 100 * DAY, NOW - 3 * HOUR))).toEqual([
      // After ten minutes or an hour for reading, a row of the coarser series must end.
      "long 2025-12-02T17:42Z 2026-01-12T00:00Z",
      "medium 2026-01-12T00:00Z 2026-03-10T19:00Z",
      "short 2026-03-10T19:00Z 2026-03-12T13:55Z",
      "live 2026-03-12T13:55Z 2026-03-12T14:42Z",
    ]);
  });

  test("takes one series over its whole window", () => {
    expect(show(auto(NOW - 60 * DAY, NOW - 30 * DAY))).toEqual(["medium 2026-01-11T17:42Z 2026-02-10T17:42Z"]);
    expect(show(auto(NOW - 4 * HOUR, NOW))).toEqual(["live 2026-03-12T13:42Z 2026-03-12T17:42Z"]);
  });

  test("skips a coarser series for less than one of its rows", () => {
    expect(show(auto(NOW - 60 * DAY - 5 * HOUR, NOW - 30 * DAY))).toEqual([
      "medium 2026-01-11T17:42Z 2026-02-10T17:42Z",
    ]);
  });

  test("reads nothing outside all windows", () => {
    expect(auto(NOW - 500 * DAY, NOW - 400 * DAY)).toEqual([]);
    expect(show(auto(NOW - 500 * DAY, NOW - 300 * DAY))).toEqual(["long 2025-03-12T17:42Z 2025-05-16T17:42Z"]);
    expect(show(planSeriesRanges({ from: NOW - 30 * DAY, to: NOW, now: NOW }, ["live"]))).toEqual([
      "live 2026-03-12T13:42Z 2026-03-12T17:42Z",
    ]);
  });

  test("leaves out incomplete averages", () => {
    const ranges = planSeriesRanges({ from: NOW - 10 * DAY, to: NOW, now: NOW }, ["long"]);
    // Noon of the day before yesterday is complete, yesterday's 17:43 is not.
    expect(ranges).toEqual([{ type: "long", from: NOW - 10 * DAY, to: NOW - DAY + 1 }]);
  });

  const ranges = fc
    .record({
      age: fc.integer({ min: 1, max: 400 * DAY }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      now: fc.integer({ min: NOW - DAY, max: NOW }),
    })
    .map(({ age, share, now }) => ({ from: now - age, to: now - Math.floor(age * share), now }));

  test("orders parts from coarse to fine, without overlap or gap", () => {
    fc.assert(
      fc.property(ranges, ({ from, to, now }) => {
        const ranges = auto(from, to, now);
        for (const range of ranges) {
          expect(range.from).toBeLessThan(range.to);
          expect(range.from).toBeGreaterThanOrEqual(Math.max(from, now - SERIES_WINDOW_MS[range.type]));
          expect(range.to).toBeLessThanOrEqual(to);
        }
        for (const [index, later] of ranges.slice(1).entries()) {
          const earlier = ranges[index];
          expect(earlier?.to).toBe(later.from);
          expect(SERIES_TYPES.indexOf(earlier?.type ?? "live")).toBeGreaterThan(SERIES_TYPES.indexOf(later.type));
          // Rows that begin before the finer series takes over end by then.
          expect(later.from % SERIES_STEP_MS[earlier?.type ?? "live"]).toBe(0);
        }
      }),
    );
  });

  test("uses coarser series only outside the finer windows, apart from margin and alignment", () => {
    fc.assert(
      fc.property(ranges, ({ from, to, now }) => {
        for (const { type, to: end } of auto(from, to, now)) {
          for (const finer of SERIES_TYPES.slice(0, SERIES_TYPES.indexOf(type))) {
            const slack = HOUR + (SERIES_STEP_MS[type] || MINUTE);
            expect(end).toBeLessThanOrEqual(now - SERIES_WINDOW_MS[finer] + slack);
          }
        }
      }),
    );
  });
});

describe("renewSpans", () => {
  const planned = auto(NOW - 10 * DAY, NOW - 3 * HOUR);

  test("changes nothing while the windows cover everything", () => {
    expect(renewSeriesRanges(planned, NOW + 10 * MINUTE, SERIES_TYPES)).toEqual(planned);
  });

  test("moves expired time to the next coarser series", () => {
    expect(show(planned)).toEqual([
      "medium 2026-03-02T17:42Z 2026-03-10T19:00Z",
      "short 2026-03-10T19:00Z 2026-03-12T13:55Z",
      "live 2026-03-12T13:55Z 2026-03-12T14:42Z",
    ]);
    expect(show(renewSeriesRanges(planned, NOW + 6 * HOUR, SERIES_TYPES))).toEqual([
      "medium 2026-03-02T17:42Z 2026-03-10T19:00Z",
      "medium 2026-03-10T19:00Z 2026-03-11T01:00Z",
      "short 2026-03-11T01:00Z 2026-03-12T13:55Z",
      "short 2026-03-12T13:55Z 2026-03-12T14:42Z",
    ]);
  });

  test("ignores less than one row of the coarser series", () => {
    const live = planned.slice(-1);
    const later = (live[0]?.from ?? 0) + SERIES_WINDOW_MS.live + 4 * MINUTE;
    expect(renewSeriesRanges(live, later, SERIES_TYPES).map(({ type }) => type)).toEqual(["live"]);
  });

  test("uses no substitute for a single requested series", () => {
    const live = planSeriesRanges({ from: NOW - 4 * HOUR, to: NOW - 3 * HOUR, now: NOW }, ["live"]);
    expect(renewSeriesRanges(live, NOW + 2 * HOUR, ["live"])).toEqual([]);
  });
});
