import { describe, expect, test } from "vitest";
import { type RequestKind, RequestPlaces } from "../../../src/http/server/request-limits.ts";

function take(places: RequestPlaces, kind: RequestKind, wanted = 100): number {
  return Array.from({ length: wanted }, () => places.take(kind)).filter((free) => free !== undefined).length;
}

describe("places of requests", () => {
  test("reserve a quarter for scrapes", () => {
    const places = new RequestPlaces(40);
    expect(take(places, "page")).toBe(30);
    expect(take(places, "scrape")).toBe(10);
    expect(take(places, "scrape")).toBe(0);
  });

  test("are all available to scrapes", () => {
    const places = new RequestPlaces(40);
    expect(take(places, "scrape")).toBe(40);
    expect(take(places, "page")).toBe(0);
  });

  test("always include one for probes, and separate ones for actions", () => {
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
  ])("give pages, of %i, %i", (max, pages) => {
    expect(take(new RequestPlaces(max), "page")).toBe(pages);
  });

  test("are unlimited with 0", () => {
    for (const kind of ["page", "scrape", "action", "probe"] as const) {
      expect(take(new RequestPlaces(0), kind)).toBe(100);
    }
  });

  test("become free once, even if an answer ends repeatedly", () => {
    const places = new RequestPlaces(2);
    const over = places.take("page");
    over?.();
    over?.();
    expect(take(places, "page")).toBe(1);
    expect(take(places, "scrape")).toBe(1);
  });
});
