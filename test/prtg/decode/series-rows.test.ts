import fc from "fast-check";
import { expect, test } from "vitest";
import { SeriesRows } from "../../../src/prtg/decode/series-rows.ts";
import { decodeTimeSeries } from "../../../src/prtg/decode/time-series.ts";
import { noProblems } from "../../../src/prtg/decode/values.ts";

const HEADER = ["time", "7.0"];
const BEGAN = Date.UTC(2026, 0, 1);

function kept(rows: readonly (readonly unknown[])[], newest?: number): SeriesRows {
  const series = new SeriesRows(newest);
  for (const row of rows) series.add(row);
  return series;
}

const decoded = (rows: SeriesRows) => decodeTimeSeries(rows.all, "7", noProblems());
const timeOf = (minute: number) => new Date(BEGAN + minute * 60_000).toISOString();

test("rows can be kept in their original order", () => {
  const rows = [HEADER, [timeOf(2), 2], [timeOf(1), 1], ["nonsense", 3], [timeOf(1)]];
  expect(kept(rows).all).toEqual(rows);
});

test("the rows with the latest times stay, in any order of arrival", () => {
  const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(minutes, fc.integer({ min: 1, max: 20 }), (series, newest) => {
      const rows = [HEADER, ...series.map((minute) => [timeOf(minute), minute])];
      const whole = decoded(kept(rows))?.rows ?? [];
      expect(decoded(kept(rows, newest))?.rows).toEqual(whole.slice(-newest));
    }),
  );
});

test("a row without a time leaves first", () => {
  const rows = kept([HEADER, ["nonsense", 1], [timeOf(1), 1], [timeOf(2), 2]], 2);
  expect(rows.all).toEqual([HEADER, [timeOf(1), 1], [timeOf(2), 2]]);
});

test("add returns the dropped row", () => {
  const rows = new SeriesRows(1);
  const [late, early, latest] = [
    [timeOf(2), 2],
    [timeOf(1), 1],
    [timeOf(3), 3],
  ];
  expect([HEADER, late, early, latest].map((row) => rows.add(row))).toEqual([undefined, undefined, early, late]);
});
