import { expect } from "vitest";
import type { SimRow, SimSensor, World } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import type { RunningService } from "./running-service.ts";
import { NOW } from "./tiny-world.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const ROOT = "/experimental/timeseries";

export type Cell = number | null;

export interface Row {
  readonly at: number;
  /** Empty for a mark of a gap. */
  readonly cells: readonly Cell[];
}

export interface Series {
  readonly header: readonly string[];
  readonly rows: readonly Row[];
  /** Those with values. */
  readonly measured: readonly Row[];
  /** Times of the others. */
  readonly marks: readonly number[];
}

/** Reads a time series, and checks what is true of all of them. */
export async function read(service: RunningService, path: string): Promise<Series> {
  const { status, json, text, headers } = await service.send(`${ROOT}/${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  const [header = [], ...rest] = json as [string[], ...[string, ...Cell[]][]];
  // One look at all of them: thousands of expectations take seconds.
  // "One integer or floating-point measurement per channel."
  expect(rest.filter(([, ...cells]) => !cells.every((cell) => typeof cell === "number"))).toEqual([]);
  expect(rest.filter(([time]) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time))).toEqual([]);
  expect(rest.filter(({ length }) => length !== 1 && length !== header.length)).toEqual([]);
  const rows = rest.map(([time, ...cells]) => ({ at: Date.parse(time), cells }));
  expect(rows.every(({ at }, index) => index === 0 || at > (rows[index - 1]?.at ?? 0))).toBe(true);
  const measured = rows.filter(({ cells }) => cells.length > 0);
  const marks = rows.filter(({ cells }) => cells.length === 0).map(({ at }) => at);
  return { header, rows, measured, marks };
}

export function smallWorld(): World {
  return createWorld({ seed: 3, size: { sensors: 40 }, startedAt: NOW });
}

/** Scans once a minute and has not been down for as long as `live` reaches. */
export function calmSensor(world: World): SimSensor {
  const calm = world.list("sensor").find((sensor) => {
    const rows = world.measurements(sensor, NOW - 5 * HOUR, NOW);
    return (
      sensor.intervalSeconds === 60 && rows.length === 300 && rows.every((row) => !row.displayValues.includes(null))
    );
  });
  if (calm === undefined) throw new Error("nothing is calm");
  return calm;
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function cellsOf(rows: readonly SimRow[]): Row[] {
  return rows.map(({ at, displayValues }) => ({ at, cells: displayValues }));
}

/** What a time series shows of rows: those with a value of each channel. */
export function shownOf(rows: readonly SimRow[]): Row[] {
  return cellsOf(rows).filter(({ cells }) => !cells.includes(null));
}

/** Null where there is no value. Rows count as often as `weightOf` says. */
export function meanOf(rows: readonly Row[], column: number, weightOf: (row: Row) => number = () => 1): Cell {
  let [sum, count] = [0, 0];
  for (const row of rows) {
    const cell = row.cells[column] ?? null;
    if (cell === null) continue;
    sum += weightOf(row) * cell;
    count += weightOf(row);
  }
  return count === 0 ? null : sum / count;
}

/** How many rows are missing, from the marks. */
export function gapLength(rows: readonly Row[], spanMs: number): number {
  let length = 0;
  for (const [index, { at, cells }] of rows.entries()) {
    if (cells.length > 0) continue;
    const before = rows[index - 1];
    const ends = before?.cells.length === 0;
    length += ends ? (at - before.at) / spanMs : 1;
  }
  return length;
}
