import { expect } from "vitest";
import type { SimRow, SimSensor, World } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import type { RunningService } from "./running-service.ts";
import { NOW } from "./static-world.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const ROOT = "/experimental/timeseries";

export type Cell = number | null;

export interface Row {
  readonly at: number;
  /** Empty: gap marker. */
  readonly cells: readonly Cell[];
}

export interface Series {
  readonly header: readonly string[];
  readonly rows: readonly Row[];
  readonly measured: readonly Row[];
  readonly marks: readonly number[];
}

/** Checks general rules. */
export async function read(service: RunningService, path: string): Promise<Series> {
  const { status, json, text, headers } = await service.send(`${ROOT}/${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  const [header = [], ...rest] = json as [string[], ...[string, ...Cell[]][]];
  // One check: thousands take seconds. "One integer or floating-point measurement per channel."
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

/** Not down within the range of `live`. */
export function sensorThatStaysUp(world: World): SimSensor {
  const found = world.list("sensor").find((sensor) => {
    const rows = world.measurements(sensor, NOW - 5 * HOUR, NOW);
    return (
      sensor.intervalSeconds === 60 && rows.length === 300 && rows.every((row) => !row.displayValues.includes(null))
    );
  });
  if (found === undefined) throw new Error("no sensor stays up");
  return found;
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function cellsOf(rows: readonly SimRow[]): Row[] {
  return rows.map(({ at, displayValues }) => ({ at, cells: displayValues }));
}

/** With a value of each channel. */
export function shownOf(rows: readonly SimRow[]): Row[] {
  return cellsOf(rows).filter(({ cells }) => !cells.includes(null));
}

/** Null without a value. `weightOf`: how often a row counts. */
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

/** Missing rows according to the markers. */
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
