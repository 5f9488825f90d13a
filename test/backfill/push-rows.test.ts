import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DAY_MS } from "../../src/backfill/day-parts.ts";
import { rowsInOrder, type StoredRow } from "../../src/backfill/push.ts";
import { emptyFolder } from "./running.ts";

const DAY = 20_000;
const BEGIN = DAY * DAY_MS;
const LAST = DAY_MS - 1;

async function rowsOf(lines: readonly unknown[], sliceBytes?: number): Promise<StoredRow[]> {
  const path = join(emptyFolder(), "day.part");
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const rows: StoredRow[] = [];
  for await (const row of rowsInOrder(path, DAY, sliceBytes)) rows.push(row);
  return rows;
}

/** In reading order. Every second series lacks some times. */
const LINES = [7, 0, 3].map((sensor) => [
  sensor,
  [0, ...[0, 3_600_000, 50_000_000, LAST].flatMap((after) => [BEGIN + after, sensor + after])],
  [2, ...[3_600_000, LAST].flatMap((after) => [BEGIN + after, -after])],
]);

test("rows come in order of time, then in order of the plan, with all values", async () => {
  expect(await rowsOf(LINES)).toEqual(
    [0, 3_600_000, 50_000_000, LAST].flatMap((after) =>
      [0, 3, 7].map((sensor) => {
        const has = after === 3_600_000 || after === LAST;
        return { sensor, at: BEGIN + after, values: [[0, sensor + after], ...(has ? [[2, -after]] : [])] };
      }),
    ),
  );
});

test.each([1_000, 100, 1])("slices of %i bytes give the same rows", async (sliceBytes) => {
  expect(await rowsOf(LINES, sliceBytes)).toEqual(await rowsOf(LINES));
});
