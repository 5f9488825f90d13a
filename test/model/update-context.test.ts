import { expect, test } from "vitest";
import { confirmationWindow, staleAfter } from "../../src/model/update-context.ts";

const MINUTE = 60_000;

test.each([
  { interval: 10, configured: undefined, expected: 5 * MINUTE },
  { interval: 100, configured: undefined, expected: 5 * MINUTE },
  { interval: 101, configured: undefined, expected: 303_000 },
  { interval: 86_400, configured: undefined, expected: 3 * 86_400_000 },
  { interval: undefined, configured: undefined, expected: 5 * MINUTE },
  { interval: 600, configured: 1_000, expected: 1_000 },
])("an interval of $interval s and $configured configured give stale values after $expected ms", (given) => {
  expect(staleAfter(given.interval, given.configured)).toBe(given.expected);
});

test("unconfirmed data expires after three periods, but at least five minutes", () => {
  expect(confirmationWindow(45_000)).toBe(5 * MINUTE);
  expect(confirmationWindow(15 * MINUTE)).toBe(15 * MINUTE);
});
