import { expect, test } from "vitest";
import { NumberRows, numberAt, startOfRow } from "../../src/model/rows.ts";

test("the table gives rows unique places and clears reused ones", () => {
  const width = 3;
  const rows = new NumberRows(width);
  const taken = Array.from({ length: 2_500 }, () => rows.take());
  for (const { row, block } of taken) {
    for (let member = 0; member < width; member++) block[startOfRow(row, width) + member] = 10 * row + member;
  }
  const read = ({ row, block }: (typeof taken)[number]) =>
    [0, 1, 2].map((member) => numberAt(block, startOfRow(row, width) + member));
  for (const each of taken) expect(read(each)).toEqual([0, 1, 2].map((member) => 10 * each.row + member));
  rows.release(1_024);
  const again = rows.take();
  expect([again.row, read(again)]).toEqual([1_024, [undefined, undefined, undefined]]);
});
