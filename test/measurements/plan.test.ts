import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coverageEnd } from "../../src/measurements/measurement.ts";
import { mergeSeries, planReading } from "../../src/measurements/plan.ts";
import type { TimeSeries } from "../../src/prtg/records.ts";
import { SERIES_STEP_MS, SERIES_TYPES, type SeriesType } from "../../src/prtg/series-types.ts";
import { runs } from "../support/runs.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 15, 12, 0, 30);

describe("planReading", () => {
  test.each([
    { covered: undefined, newest: MINUTE, types: ["live"], why: "a sensor without a watermark starts from live" },
    { covered: undefined, newest: 5 * HOUR, types: [], why: "without a watermark nothing older is looked for" },
    { covered: 10 * MINUTE, newest: MINUTE, types: ["live"], why: "a gap within the live window" },
    { covered: 3 * HOUR + 57 * MINUTE, newest: MINUTE, types: ["live"], why: "just within it" },
    { covered: 3 * HOUR + 58 * MINUTE, newest: MINUTE, types: ["live"], why: "at its margin" },
    { covered: 3 * HOUR + 59 * MINUTE, newest: MINUTE, types: ["live", "short"], why: "about to leave it" },
    { covered: 6 * HOUR, newest: MINUTE, types: ["live", "short"], why: "an outage of six hours" },
    { covered: 3 * DAY, newest: MINUTE, types: ["live", "short", "medium"], why: "an outage of three days" },
    { covered: 70 * DAY, newest: MINUTE, types: ["live", "short", "medium", "long"], why: "an outage of seventy days" },
    { covered: 900 * DAY, newest: MINUTE, types: ["live", "short", "medium", "long"], why: "longer than all windows" },
    { covered: 10 * HOUR, newest: 6 * HOUR, types: ["short"], why: "nothing measured within the live window" },
    { covered: 10 * DAY, newest: 3 * DAY, types: ["medium"], why: "nothing measured for days" },
    { covered: 400 * DAY, newest: 380 * DAY, types: [], why: "nothing measured within any window" },
    { covered: 6 * HOUR, newest: undefined, types: ["live", "short"], why: "lists not to be relied on" },
    { covered: undefined, newest: undefined, types: ["live"], why: "nothing known at all" },
  ])("$why: $types", ({ covered, newest, types }) => {
    const ago = (ms: number | undefined) => (ms === undefined ? undefined : NOW - ms);
    expect(planReading({ covered: ago(covered), newest: ago(newest), now: NOW })).toEqual(types);
  });
});

type Rows = Partial<Record<SeriesType, readonly number[]>>;

function seriesOf(rows: Rows): Map<SeriesType, TimeSeries> {
  const series = new Map<SeriesType, TimeSeries>();
  for (const type of SERIES_TYPES) {
    const times = rows[type];
    if (times === undefined) continue;
    series.set(type, { rows: times.map((at) => ({ at, values: [["0", at]] })), gaps: [], skipped: 0 });
  }
  return series;
}

function merge(rows: Rows, covered: number | undefined, { sameWithinMs = 0, now = NOW } = {}): string[] {
  const merged = mergeSeries(seriesOf(rows), { sensorId: "7", covered, sameWithinMs, now, upTo: now + HOUR });
  return merged.map(({ resolution, at }) => `${resolution} ${new Date(at).toISOString().slice(8, 19)}`);
}

const at = (text: string): number => Date.parse(`2026-01-${text}Z`);
const times = (from: number, step: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index * step);

describe("mergeSeries", () => {
  test("sends live rows newer than the last sent one", () => {
    const live = times(at("15T11:57:00"), MINUTE, 4);
    expect(merge({ live }, at("15T11:58:00"))).toEqual(["live 15T11:59:00", "live 15T12:00:00"]);
    expect(merge({ live }, undefined)).toHaveLength(4);
    expect(merge({ live }, at("15T12:00:00"))).toEqual([]);
  });

  test("passes sensor, resolution and values on", () => {
    expect(
      mergeSeries(seriesOf({ live: [NOW] }), { sensorId: "7", covered: 0, sameWithinMs: 0, now: NOW, upTo: NOW }),
    ).toEqual([{ sensorId: "7", at: NOW, resolution: "live", values: [["0", NOW]] }]);
  });

  test("fills the time before live rows with averages that do not overlap", () => {
    const rows = { short: times(at("15T07:40:00"), 5 * MINUTE, 53), live: times(at("15T08:01:30"), MINUTE, 239) };
    expect(merge(rows, at("15T07:46:00")).slice(0, 5)).toEqual([
      // 07:45 starts before the last sent data, 08:00 overlaps live rows.
      "short 15T07:50:00",
      "short 15T07:55:00",
      "live 15T08:01:30",
      "live 15T08:02:30",
      "live 15T08:03:30",
    ]);
  });

  test("omits an average that starts at the last sent one, and sends one that ends before the first live row", () => {
    const rows = { short: times(at("15T07:50:00"), 5 * MINUTE, 3), live: [at("15T08:05:00")] };
    expect(merge(rows, at("15T07:50:00"))).toEqual(["short 15T07:55:00", "short 15T08:00:00", "live 15T08:05:00"]);
    expect(merge(rows, at("15T07:49:59"))).toHaveLength(4);
  });

  test("continues after a sent average", () => {
    const rows = { short: times(at("15T07:50:00"), 5 * MINUTE, 3), live: [at("15T08:05:00")] };
    const covered = coverageEnd({ at: at("15T07:50:00"), resolution: "short" });
    expect(merge(rows, covered)).toEqual(["short 15T07:55:00", "short 15T08:00:00", "live 15T08:05:00"]);
  });

  test("uses the coarse average up to the finer series, then the finer rows", () => {
    const rows = {
      medium: times(at("13T09:00:00"), HOUR, 51),
      short: times(at("13T12:05:00"), 5 * MINUTE, 575),
      live: times(at("15T08:01:00"), MINUTE, 240),
    };
    const merged = merge(rows, at("13T09:30:00"));
    expect(merged.slice(0, 4)).toEqual([
      "medium 13T10:00:00",
      "medium 13T11:00:00",
      "medium 13T12:00:00",
      "short 13T13:00:00",
    ]);
    expect(merged).toContain("short 15T07:55:00");
    expect(merged).not.toContain("short 15T08:00:00");
  });

  test("uses days before hours", () => {
    const rows = {
      long: times(at("01T00:00:00"), DAY, 15),
      medium: times(at("03T05:00:00"), HOUR, 295),
      live: [at("15T11:00:00")],
    };
    expect(merge(rows, at("01T12:00:00")).slice(0, 3)).toEqual([
      "long 02T00:00:00",
      "long 03T00:00:00",
      "medium 04T00:00:00",
    ]);
  });

  test("keeps a gap of the server", () => {
    const rows = { short: [at("15T05:00:00"), at("15T06:30:00")], live: [at("15T09:00:00"), at("15T11:00:00")] };
    expect(merge(rows, at("15T04:00:00"))).toEqual([
      "short 15T05:00:00",
      "short 15T06:30:00",
      "live 15T09:00:00",
      "live 15T11:00:00",
    ]);
  });

  test("does not send an incomplete average, or one whose live rows can still come", () => {
    const rows = { short: [at("15T11:50:00"), at("15T11:55:00"), at("15T12:00:00")] };
    const sentAt = (now: number) => merge(rows, at("15T11:00:00"), { now });
    expect(sentAt(at("15T12:00:59"))).toEqual(["short 15T11:50:00"]);
    expect(sentAt(at("15T12:01:01"))).toEqual(["short 15T11:50:00", "short 15T11:55:00"]);
    expect(sentAt(at("15T12:05:59"))).toEqual(["short 15T11:50:00", "short 15T11:55:00"]);
  });

  test.each([
    { name: "a bit later", covered: at("15T11:58:10"), within: 30 * SECOND, first: "live 15T11:59:00" },
    { name: "a bit earlier", covered: at("15T11:57:50"), within: 30 * SECOND, first: "live 15T11:59:00" },
    { name: "at the same time", covered: at("15T11:58:00"), within: 30 * SECOND, first: "live 15T11:59:00" },
    { name: "too far off", covered: at("15T11:57:50"), within: 9 * SECOND, first: "live 15T11:58:00" },
  ])("compares a measurement from a list with a row of the series $name", ({ covered, within, first }) => {
    const rows = { live: times(at("15T11:58:00"), MINUTE, 3) };
    expect(merge(rows, covered, { sameWithinMs: within })[0]).toBe(first);
  });

  test("matches only the nearest row", () => {
    const live = [at("15T11:58:00"), at("15T11:58:20"), at("15T11:59:00")];
    expect(merge({ live }, at("15T11:58:00"), { sameWithinMs: 30 * SECOND })).toEqual([
      "live 15T11:58:20",
      "live 15T11:59:00",
    ]);
  });

  test("accepts a slightly different time in an average", () => {
    const rows = { short: times(at("15T06:00:00"), 5 * MINUTE, 3) };
    expect(merge(rows, at("15T05:59:45"), { sameWithinMs: 30 * SECOND })).toEqual([
      "short 15T06:05:00",
      "short 15T06:10:00",
    ]);
  });

  test("holds rows in the far future until then", () => {
    expect(merge({ live: [NOW, NOW + DAY] }, 0)).toEqual(["live 15T12:00:30"]);
  });

  test("never overlaps, goes back or omits a live row", () => {
    const someTimes = (step: number, count: number) =>
      fc
        .uniqueArray(fc.integer({ min: 0, max: count }), { maxLength: 40 })
        .map((steps) => steps.sort((a, b) => a - b).map((index) => NOW - count * step + index * step));
    fc.assert(
      fc.property(
        fc.record(
          {
            live: someTimes(30 * SECOND, 480),
            short: someTimes(5 * MINUTE, 576).map((all) => all.map((ms) => ms - (ms % (5 * MINUTE)))),
            medium: someTimes(HOUR, 1440).map((all) => all.map((ms) => ms - (ms % HOUR))),
            long: someTimes(DAY, 365).map((all) => all.map((ms) => ms - (ms % DAY))),
          },
          { requiredKeys: [] },
        ),
        fc.option(fc.integer({ min: NOW - 100 * DAY, max: NOW }), { nil: undefined }),
        fc.constantFrom(0, 15 * SECOND),
        (rows, covered, sameWithinMs) => {
          const merged = mergeSeries(seriesOf(rows), { sensorId: "7", covered, sameWithinMs, now: NOW, upTo: NOW });
          let cursor = covered ?? Number.NEGATIVE_INFINITY;
          for (const row of merged) {
            expect(row.at).toBeGreaterThan(cursor);
            cursor = coverageEnd(row);
            if (row.resolution === "repeated") throw new Error("a series has no repeats");
            expect(cursor - row.at).toBe(Math.max(SERIES_STEP_MS[row.resolution] - 1, 0));
          }
          const live = (rows.live ?? []).filter((ms) => ms > (covered ?? 0) + sameWithinMs);
          expect(merged.filter(({ resolution }) => resolution === "live").map((row) => row.at)).toEqual(
            expect.arrayContaining(live),
          );
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
