import { describe, expect, test } from "vitest";
import { positions, renderTimeSeries } from "../../src/records/time-series.ts";
import type { SimRow } from "../../src/world/model.ts";
import { StaticWorld } from "../support/static-world.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 12, 16);

describe("rows and gaps of a time series", () => {
  const uplink = new StaticWorld().list("sensor").find(({ id }) => id === "1001");
  const channels = uplink?.channels ?? [];

  /** A character per minute: `2` both channels, `1` the first, `0` without a value, `.` not scanned. */
  const rowsOf = (minutes: string): SimRow[] =>
    [...minutes].flatMap((kind, index) => {
      const at = START + index * MINUTE;
      const displayValues = [kind === "0" ? null : index / 4, kind === "2" ? -1e-7 : null];
      return kind === "." ? [] : [{ at, displayValues }];
    });

  test.each<[minutes: string, shown: string]>([
    ["", ""],
    ["222", "00=0,-1e-7 01=0.25,-1e-7 02=0.5,-1e-7"],
    // Downtime alone makes no row.
    ["212", "00=0,-1e-7 01 02=0.5,-1e-7"],
    ["2...2", "00=0,-1e-7 01 03 04=1,-1e-7"],
    ["2.2", "00=0,-1e-7 01 02=0.5,-1e-7"],
    ["2..2", "00=0,-1e-7 01 02 03=0.75,-1e-7"],
    ["2000.002", "00=0,-1e-7 01 06 07=1.75,-1e-7"],
    ["..2", "00 01 02=0.5,-1e-7"],
    ["2...", "00=0,-1e-7 01 03"],
    ["2.", "00=0,-1e-7 01"],
    ["2.10.2", "00=0,-1e-7 01 04 05=1.25,-1e-7"],
    ["11", "00 01"],
    [".....", "00 04"],
    ["0", "00"],
    [".2.2.", "00 01=0.25,-1e-7 02 03=0.75,-1e-7 04"],
  ])("%j", (minutes, shown) => {
    const times = Array.from({ length: minutes.length }, (_, index) => START + index * MINUTE);
    const rows = JSON.parse(renderTimeSeries(channels, times, rowsOf(minutes))) as unknown[][];
    expect(rows[0]).toEqual(["time", "1001.1", "1001.2"]);
    const texts = rows.slice(1).map(([time, ...cells]) => {
      expect(time).toMatch(/^2026-03-12T16:0\d:00Z$/);
      const minute = String(time).slice(14, 16);
      return cells.length === 0 ? minute : `${minute}=${cells.map((cell) => JSON.stringify(cell)).join()}`;
    });
    expect(texts.join(" ")).toBe(shown);
  });

  test("a gap lists the requested channels in their order", () => {
    const times = [START, START + MINUTE, START + 2 * MINUTE];
    const [first, second] = channels;
    if (first === undefined || second === undefined) throw new Error("no channels");
    expect(renderTimeSeries([second], times, rowsOf("211"))).toBe(
      '[["time","1001.2"],["2026-03-12T16:00:00Z",-1e-7],["2026-03-12T16:01:00Z"],["2026-03-12T16:02:00Z"]]',
    );
    expect(renderTimeSeries([second, first], times, rowsOf(".2."))).toBe(
      '[["time","1001.2","1001.1"],["2026-03-12T16:00:00Z"],["2026-03-12T16:01:00Z",-1e-7,0.25],["2026-03-12T16:02:00Z"]]',
    );
    expect(renderTimeSeries([first], times, rowsOf(".1."))).toBe(
      '[["time","1001.1"],["2026-03-12T16:00:00Z"],["2026-03-12T16:01:00Z",0.25],["2026-03-12T16:02:00Z"]]',
    );
  });
});

describe("positions of a time series", () => {
  test.each<
    [name: string, everyMinutes: number, from: number, to: number, span: number | undefined, minutes: number[]]
  >([
    ["every scan, both ends included", 1, 10, 12, undefined, [10, 11, 12]],
    ["between two scans", 5, 12, 15, undefined, []],
    ["from the first scan on", 2, -100, 5, undefined, [1, 3, 5]],
    ["spans that are whole", 1, 10, 25, 5, [10, 15, 20]],
    ["spans that begin before or are not over", 1, 11, 24, 5, [15]],
    ["the first span holds the first scan", 1, -100, 10, 5, [0, 5]],
    ["spans without a due scan are none", 20, 0, 60, 5, [0, 20, 40]],
    ["one scan a span", 5, 0, 15, 5, [0, 5, 10]],
    ["nothing before the first scan", 1, -100, 0, 5, []],
    ["an empty time", 1, 20, 10, 5, []],
  ])("%s", (_, everyMinutes, from, to, span, minutes) => {
    const schedule = { first: START + MINUTE, everyMs: everyMinutes * MINUTE };
    const spanMs = span === undefined ? undefined : span * MINUTE;
    const found = [...positions(schedule, START + from * MINUTE, START + to * MINUTE, spanMs)];
    expect(found.map((at) => (at - START) / MINUTE)).toEqual(minutes);
  });
});
