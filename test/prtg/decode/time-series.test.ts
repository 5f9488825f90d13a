import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_COLUMNS } from "../../../src/prtg/answer-bounds.ts";
import { decodeTimeSeries, SeriesRows } from "../../../src/prtg/decode/time-series.ts";
import { type DecodeProblems, noProblems } from "../../../src/prtg/decode/values.ts";
import type { TimeSeries } from "../../../src/prtg/records.ts";
import { Premise } from "../../support/premise.ts";
import { runs } from "../../support/runs.ts";

const HEADER = ["time", "2490.0", "2490.1"];
const at = (time: string): number => Date.parse(`2026-03-12T${time}Z`);

function decode(answer: readonly unknown[]): { series: TimeSeries | undefined; problems: Partial<DecodeProblems> } {
  const problems = noProblems();
  const series = decodeTimeSeries(answer, "2490", problems);
  return { series, problems: Object.fromEntries(Object.entries(problems).filter(([, count]) => count > 0)) };
}

describe("decodeTimeSeries", () => {
  test("reads rows and times of gaps", () => {
    expect(
      decode([
        HEADER,
        ["2026-03-12T15:00:00Z", 0.1921, 7],
        ["2026-03-12T16:00:00Z"],
        ["2026-03-12T17:00:00Z"],
        ["2026-03-12T18:00:00Z", 0.2125, 8.533380741004116e-5],
      ]),
    ).toEqual({
      series: {
        rows: [
          {
            at: at("15:00:00"),
            values: [
              ["0", 0.1921],
              ["1", 7],
            ],
          },
          {
            at: at("18:00:00"),
            values: [
              ["0", 0.2125],
              ["1", 8.533380741004116e-5],
            ],
          },
        ],
        gaps: [at("16:00:00"), at("17:00:00")],
        skipped: 0,
      },
      problems: {},
    });
  });

  test.each([
    { cells: [null, 2], values: [["1", 2]], problems: {} },
    {
      cells: ["1.5", 2],
      values: [
        ["0", 1.5],
        ["1", 2],
      ],
      problems: {},
    },
    { cells: ["n/a", 2], values: [["1", 2]], problems: { value: 1 } },
    { cells: [true, { value: 1 }], values: undefined, problems: { value: 2 } },
    { cells: [Number.POSITIVE_INFINITY, -0], values: [["1", -0]], problems: { value: 1 } },
  ])("reads the cells $cells", ({ cells, values, problems }) => {
    const decoded = decode([HEADER, ["2026-03-12T15:00:00Z", ...cells]]);
    expect(decoded.problems).toEqual(problems);
    expect(decoded.series).toEqual({
      rows: values === undefined ? [] : [{ at: at("15:00:00"), values }],
      gaps: [],
      skipped: 0,
    });
  });

  test("reads a gap with or without null per channel", () => {
    const marked = (...cells: null[]) =>
      decode([
        HEADER,
        ["2026-03-12T15:00:00Z", 1, 2],
        ["2026-03-12T16:00:00Z", ...cells],
        ["2026-03-12T17:00:00Z", ...cells],
        ["2026-03-12T18:00:00Z", 3, 4],
      ]);
    expect(marked()).toEqual(marked(null, null));
    expect(marked().series).toMatchObject({
      rows: [{ at: at("15:00:00") }, { at: at("18:00:00") }],
      gaps: [at("16:00:00"), at("17:00:00")],
      skipped: 0,
    });
    expect(marked().problems).toEqual({});
  });

  test("uses values of a short row and counts it", () => {
    const { series, problems } = decode([HEADER, ["2026-03-12T15:00:00Z", 4]]);
    expect(series).toEqual({ rows: [{ at: at("15:00:00"), values: [["0", 4]] }], gaps: [], skipped: 0 });
    expect(problems).toEqual({ record: 1 });
  });

  test("treats a short row without values as a gap", () => {
    const { series, problems } = decode([HEADER, ["2026-03-12T15:00:00Z", null]]);
    expect(series).toEqual({ rows: [], gaps: [at("15:00:00")], skipped: 0 });
    expect(problems).toEqual({ record: 1 });
  });

  test.each([
    { row: ["2026-03-12T15:00:00Z", 1, 2, 3], problems: { record: 1 }, why: "longer than the header" },
    { row: [], problems: { record: 1 }, why: "empty" },
    { row: { time: "2026-03-12T15:00:00Z" }, problems: { record: 1 }, why: "an object" },
    { row: null, problems: { record: 1 }, why: "null" },
    { row: ["yesterday", 1, 2], problems: { timestamp: 1 }, why: "without a readable time" },
    { row: [null, 1, 2], problems: { timestamp: 1 }, why: "without a time" },
    { row: ["0001-01-01T00:00:00Z", 1, 2], problems: { timestamp: 1 }, why: "from before time began" },
    { row: [1773331200000, 1, 2], problems: { timestamp: 1 }, why: "with a number for a time" },
  ])("skips and counts a row that is $why", ({ row, problems }) => {
    const decoded = decode([HEADER, row, ["2026-03-12T16:00:00Z", 1, 2]]);
    expect(decoded.problems).toEqual(problems);
    expect(decoded.series).toMatchObject({ rows: [{ at: at("16:00:00") }], gaps: [], skipped: 1 });
  });

  test.each([
    { id: "2490.-4", channel: "-4" },
    { id: "2490.1.5", channel: "1.5" },
  ])("uses the text after the first dot of $id as channel", ({ id, channel }) => {
    const { series } = decode([
      ["time", id],
      ["2026-03-12T15:00:00Z", 1],
    ]);
    expect(series?.rows).toEqual([{ at: at("15:00:00"), values: [[channel, 1]] }]);
  });

  test.each(["2491.1", "2490", "2490.", "", null, 7, "24901.0"])("omits and counts the column %j", (id) => {
    const { series, problems } = decode([
      ["time", id, "2490.1"],
      ["2026-03-12T15:00:00Z", 1, 2],
    ]);
    expect(series?.rows).toEqual([{ at: at("15:00:00"), values: [["1", 2]] }]);
    expect(problems).toEqual({ record: 1 });
  });

  test("reads each channel from its first column only", () => {
    const { series, problems } = decode([
      ["time", "2490.1", "2490.1"],
      ["2026-03-12T15:00:00Z", 1, 2],
    ]);
    expect(series?.rows).toEqual([{ at: at("15:00:00"), values: [["1", 1]] }]);
    expect(problems).toEqual({ duplicate: 1 });
  });

  test("reads a limited number of channels and counts the others", () => {
    const header = Array.from({ length: MAX_COLUMNS + 2 }, (_, channel) => `2490.${channel}`);
    const { series, problems } = decode([
      ["time", ...header],
      ["2026-03-12T15:00:00Z", ...header.map(() => 1)],
    ]);
    expect(series?.rows[0]?.values).toHaveLength(MAX_COLUMNS);
    expect(problems).toEqual({ record: 2 });
  });

  test("sorts rows and merges those of the same time", () => {
    const { series } = decode([
      HEADER,
      ["2026-03-12T18:00:00Z", 5, 6],
      ["2026-03-12T16:30:00Z"],
      ["2026-03-12T15:00:00Z", 1, null],
      ["2026-03-12T15:30:00Z"],
      ["2026-03-12T15:30:00Z"],
      ["2026-03-12T17:00:00+02:00", 3, 4],
    ]);
    expect(series).toEqual({
      rows: [
        {
          at: at("15:00:00"),
          values: [
            ["0", 1],
            ["1", 4],
          ],
        },
        {
          at: at("18:00:00"),
          values: [
            ["0", 5],
            ["1", 6],
          ],
        },
      ],
      gaps: [at("15:30:00"), at("16:30:00")],
      skipped: 0,
    });
  });

  test("returns no rows without measurements", () => {
    expect(decode([]).series).toEqual({ rows: [], gaps: [], skipped: 0 });
    expect(decode([HEADER]).series).toEqual({ rows: [], gaps: [], skipped: 0 });
    expect(decode([["time"], ["2026-03-12T15:00:00Z"]]).series).toEqual({ rows: [], gaps: [], skipped: 0 });
  });

  test.each([[[["2026-03-12T15:00:00Z", 1, 2]]], [[[]]], [[{ datetime: "2026-03-12T15:00:00Z", Ping: 1 }]], [[null]]])(
    "fails without a header: %j",
    (answer) => {
      expect(decode(answer).series).toBeUndefined();
    },
  );

  const cell = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.double(),
    fc.constantFrom("2490.0", "2490.1", "time", "1,5", "1e999", "2026-03-12T17:55:10Z", "2026-03-12T17:56:10.5Z"),
  );
  const time = fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 5 }).map((n) => `2026-03-12T15:0${n}:00Z`), weight: 4 },
    cell,
  );
  const row = fc.oneof(
    { arbitrary: fc.tuple(time, cell, cell), weight: 4 },
    fc.tuple(time),
    fc.array(cell),
    fc.jsonValue(),
  );
  const header = fc.oneof({ arbitrary: fc.constant(HEADER), weight: 4 }, row);

  test("never throws and gives finite numbers in ascending rows", () => {
    const hasRows = new Premise();
    fc.assert(
      fc.property(header, fc.array(row), (first, rows) => {
        const { series } = decode([first, ...rows]);
        hasRows.holds((series?.rows.length ?? 0) > 1);
        if (series === undefined) return;
        expect(series.rows.length + series.gaps.length + series.skipped).toBeLessThanOrEqual(rows.length);
        for (const [index, { at, values }] of series.rows.entries()) {
          expect(Number.isSafeInteger(at)).toBe(true);
          expect(at).toBeGreaterThan(series.rows[index - 1]?.at ?? 0);
          expect(values.length).toBeGreaterThan(0);
          expect(new Set(values.map(([channelId]) => channelId)).size).toBe(values.length);
          for (const [channelId, value] of values) {
            expect(channelId).not.toBe("");
            expect(Number.isFinite(value)).toBe(true);
          }
        }
        expect(series.gaps).toEqual([...new Set(series.gaps)].sort((a, b) => a - b));
      }),
      { numRuns: runs(2000) },
    );
    hasRows.expectOften();
  });
});

const HEADER_OF_ONE = ["time", "7.0"];
const BEGAN = Date.UTC(2026, 0, 1);

function kept(rows: readonly (readonly unknown[])[], newest?: number): SeriesRows {
  const series = new SeriesRows(newest);
  for (const row of rows) series.add(row);
  return series;
}

const decoded = (rows: SeriesRows) => decodeTimeSeries(rows.all, "7", noProblems());
const timeOf = (minute: number) => new Date(BEGAN + minute * 60_000).toISOString();

test("rows can be kept in their original order", () => {
  const rows = [HEADER_OF_ONE, [timeOf(2), 2], [timeOf(1), 1], ["nonsense", 3], [timeOf(1)]];
  expect(kept(rows).all).toEqual(rows);
});

test("the rows with the latest times stay, in any order of arrival", () => {
  const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(minutes, fc.integer({ min: 1, max: 20 }), (series, newest) => {
      const rows = [HEADER_OF_ONE, ...series.map((minute) => [timeOf(minute), minute])];
      const whole = decoded(kept(rows))?.rows ?? [];
      expect(decoded(kept(rows, newest))?.rows).toEqual(whole.slice(-newest));
    }),
  );
});

test("a row without a time leaves first", () => {
  const rows = kept([HEADER_OF_ONE, ["nonsense", 1], [timeOf(1), 1], [timeOf(2), 2]], 2);
  expect(rows.all).toEqual([HEADER_OF_ONE, [timeOf(1), 1], [timeOf(2), 2]]);
});

test("add returns the dropped row", () => {
  const rows = new SeriesRows(1);
  const [late, early, latest] = [
    [timeOf(2), 2],
    [timeOf(1), 1],
    [timeOf(3), 3],
  ];
  expect([HEADER_OF_ONE, late, early, latest].map((row) => rows.add(row))).toEqual([undefined, undefined, early, late]);
});
