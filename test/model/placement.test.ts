import { expect, test } from "vitest";
import { findCycles } from "../../src/model/placement.ts";

test("placement yields after a number of objects", () => {
  let looks = 0;
  const steps = findCycles(
    Array.from({ length: 1_000 }, (_, index) => String(index + 1)),
    () => {
      looks++;
      return "0";
    },
    10,
  );
  let most = 0;
  for (let before = 0; steps.next().done !== true; before = looks) most = Math.max(most, looks - before);
  expect(looks).toBe(1_000);
  expect(most).toBe(10);
});
