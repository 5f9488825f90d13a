import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noProblems } from "../../../src/prtg/decode/problems.ts";
import { SeriesRows } from "../../../src/prtg/decode/series-rows.ts";
import { decodeTimeSeries } from "../../../src/prtg/decode/time-series.ts";

const HEADER = ["time", "7.0"];
const BEGAN = Date.UTC(2026, 0, 1);

function kept(rows: readonly (readonly unknown[])[], newest?: number): SeriesRows {
  const series = new SeriesRows(newest);
  for (const row of rows) series.add(row);
  return series;
}

const decoded = (rows: SeriesRows) => decodeTimeSeries(rows.all, "7", noProblems());
const timeOf = (minute: number) => new Date(BEGAN + minute * 60_000).toISOString();

test("all rows are kept as they came, where that is wanted", () => {
  const rows = [HEADER, [timeOf(2), 2], [timeOf(1), 1], ["nonsense", 3], [timeOf(1)]];
  expect(kept(rows).all).toEqual(rows);
});

test("the rows with the latest times are kept, in whichever order they came, as the whole series has them", () => {
  const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(minutes, fc.integer({ min: 1, max: 20 }), (series, newest) => {
      const rows = [HEADER, ...series.map((minute) => [timeOf(minute), minute])];
      const whole = decoded(kept(rows))?.rows ?? [];
      expect(decoded(kept(rows, newest))?.rows).toEqual(whole.slice(-newest));
    }),
  );
});

test("a row without a time is the first to go", () => {
  const rows = kept([HEADER, ["nonsense", 1], [timeOf(1), 1], [timeOf(2), 2]], 2);
  expect(rows.all).toEqual([HEADER, [timeOf(1), 1], [timeOf(2), 2]]);
});

test("says of each row whether it is kept", () => {
  const rows = new SeriesRows(1);
  expect([HEADER, [timeOf(2), 2], [timeOf(1), 1], [timeOf(3), 3]].map((row) => rows.add(row))).toEqual([
    ...[true, true],
    ...[false, true],
  ]);
});

describe("where rows in between were left out, it has the latest ones", () => {
  const read = (before: readonly unknown[], after: readonly unknown[]): boolean => {
    const rows = new SeriesRows(2);
    for (const row of [HEADER, ...before.map((time) => [time, 1])]) rows.add(row);
    rows.leftOut();
    for (const time of after) rows.add([time, 1]);
    return rows.hasLatest;
  };

  test.each([
    { order: "rise", before: [timeOf(1)], after: [timeOf(5), timeOf(6)], is: true },
    { order: "rise, and one is none", before: [timeOf(1)], after: ["", timeOf(5), "nonsense"], is: true },
    { order: "fall", before: [timeOf(6)], after: [timeOf(2), timeOf(1)], is: false },
    { order: "rise and begin anew", before: [timeOf(5)], after: [timeOf(3), timeOf(4)], is: false },
    { order: "fall and begin anew", before: [timeOf(2)], after: [timeOf(4), timeOf(3)], is: false },
    { order: "are not known at first", before: [""], after: [timeOf(3), timeOf(4)], is: false },
    { order: "are not known at last", before: [timeOf(1)], after: ["nonsense", 7], is: false },
    { order: "do not come", before: [timeOf(1)], after: [], is: false },
  ])("only if times rise: they $order", ({ before, after, is }) => {
    expect(read(before, after)).toBe(is);
  });

  test("and where none were, in whichever order they came", () => {
    expect(kept([HEADER, [timeOf(2), 2], [timeOf(1), 1]], 2).hasLatest).toBe(true);
  });
});
