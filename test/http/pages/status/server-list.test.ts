import { expect, test } from "vitest";
import { sparkline } from "../../../../src/http/pages/status/server-list.ts";
import { courseOf } from "./drawings.ts";

const drawn = (down: readonly (number | undefined)[]) => String(sparkline(courseOf(down)));
const path = (down: readonly (number | undefined)[]) => /<path d="([^"]*)"/.exec(drawn(down))?.[1];
const minutes = (count: number, down: number | undefined) => Array<number | undefined>(count).fill(down);

test("the chart needs two samples", () => {
  expect(sparkline([])).toBeUndefined();
  expect(sparkline(courseOf([1]))).toBeUndefined();
});

test("five minutes show their highest number, and a constant stretch is one line", () => {
  expect(path([...minutes(235, 0), 1, 4, 0, 0, 2])).toBe("M0,10H47V0H48");
  expect(path(minutes(240, 0))).toBe("M0,10H48");
  expect(path([...minutes(120, 2), ...minutes(120, 1)])).toBe("M0,0H24V5H48");
});

test("missing samples interrupt the line, and a short history starts late", () => {
  expect(path([...minutes(60, 1), ...minutes(60, undefined), ...minutes(120, 1)])).toBe("M0,0H12M24,0H48");
  expect(path(minutes(10, 3))).toBe("M46,0H48");
});

test("unknown sensors count as down", () => {
  const blind = courseOf(minutes(9, 2)).map((each) => ({ ...each, counts: { ...each.counts, unknown: 386 } }));
  expect(String(sparkline(blind))).toContain("<title>Now 388, at most 388</title>");
});

test("the chart has a description in words", () => {
  expect(drawn([...minutes(5, 7), 1_234])).toContain("<title>Now 1,234, at most 1,234</title>");
  expect(drawn([...minutes(5, 7), 0])).toContain("<title>Now 0, at most 7</title>");
  expect(drawn(minutes(9, 0))).toContain("<title>No sensor was down or unknown</title>");
});

test("the chart is small even for a restless server", () => {
  const restless = Array.from({ length: 240 }, (_, minute) => (minute * 7_919) % 1_000);
  expect(drawn(restless).length).toBeLessThan(600);
});
