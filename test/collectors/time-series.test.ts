import { expect, test } from "vitest";
import { LatestValues } from "../../src/collectors/time-series.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("waits for a write in progress if no newer values came", async () => {
  const written = Promise.withResolvers<void>();
  const latest = new LatestValues({ applySeries: () => written.promise }, new ManualClock());
  latest.add("2001", 1_000, []);
  let shown = false;
  const showing = latest.write().then(() => {
    shown = true;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect(shown).toBe(false);
  written.resolve();
  await showing;
  expect(shown).toBe(true);
});
