import { describe, expect, test } from "vitest";
import { PageSize } from "../../../src/prtg/paging/page-size.ts";

function completeLists(size: PageSize, count: number): void {
  for (let list = 0; list < count; list++) size.recordList();
}

/** Complete lists until the size grows. */
function patienceOf(size: PageSize): number {
  const before = size.current;
  for (let lists = 1; lists < 1000; lists++) {
    size.recordList();
    if (size.current > before) return lists;
  }
  throw new Error("the page size never grows");
}

describe("PageSize", () => {
  test("steps down twice and no further", () => {
    const size = new PageSize();
    expect(size.current).toBe(3000);
    expect(size.reduce()).toBe(true);
    expect(size.current).toBe(1500);
    expect(size.reduce()).toBe(true);
    expect(size.current).toBe(750);
    expect(size.reduce()).toBe(false);
    expect(size.current).toBe(750);
  });

  test("grows step by step after complete lists", () => {
    const size = new PageSize();
    size.reduce();
    size.reduce();
    completeLists(size, 2);
    expect(size.current).toBe(750);
    completeLists(size, 1);
    expect(size.current).toBe(1500);
    completeLists(size, 3);
    expect(size.current).toBe(3000);
  });

  test("takes longer to grow after each failure of the larger page, within a limit", () => {
    const size = new PageSize();
    size.reduce();
    const patience: number[] = [];
    for (let round = 0; round < 7; round++) {
      patience.push(patienceOf(size));
      size.reduce();
    }
    expect(patience).toEqual([3, 6, 12, 24, 48, 96, 96]);
  });

  test("forgets failures once the full size works", () => {
    const size = new PageSize();
    size.reduce();
    patienceOf(size);
    size.reduce();
    expect(patienceOf(size)).toBe(6);
    completeLists(size, 6);
    size.reduce();
    expect(patienceOf(size)).toBe(3);
  });
});
