import { describe, expect, test } from "vitest";
import { type RequestKind, RequestPlaces } from "../../../src/http/server/request-limits.ts";

function take(places: RequestPlaces, kind: RequestKind, wanted = 100): number {
  return Array.from({ length: wanted }, () => places.take(kind)).filter((free) => free !== undefined).length;
}

describe("places of requests", () => {
  test("pages leave a quarter to scrapes", () => {
    const places = new RequestPlaces(40);
    expect(take(places, "page")).toBe(30);
    expect(take(places, "scrape")).toBe(10);
    expect(take(places, "scrape")).toBe(0);
  });

  test("scrapes may take all", () => {
    const places = new RequestPlaces(40);
    expect(take(places, "scrape")).toBe(40);
    expect(take(places, "page")).toBe(0);
  });

  test("probes always have one, and actions have their own", () => {
    const places = new RequestPlaces(4);
    expect(take(places, "action")).toBe(8);
    expect(take(places, "scrape")).toBe(4);
    expect(take(places, "probe")).toBe(100);
    expect(new RequestPlaces(4).take("action")).toBeDefined();
  });

  test.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [5, 3],
  ])("of %i, pages take %i", (max, pages) => {
    expect(take(new RequestPlaces(max), "page")).toBe(pages);
  });

  test("0 is no limit", () => {
    for (const kind of ["page", "scrape", "action", "probe"] as const) {
      expect(take(new RequestPlaces(0), kind)).toBe(100);
    }
  });

  test("a place is free again once, however often its answer is over", () => {
    const places = new RequestPlaces(2);
    const over = places.take("page");
    over?.();
    over?.();
    expect(take(places, "page")).toBe(1);
    expect(take(places, "scrape")).toBe(1);
  });
});
