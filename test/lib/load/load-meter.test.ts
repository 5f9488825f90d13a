import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openLoadMeter } from "../../../src/lib/load/load-meter.ts";

/** Keeps the event loop busy. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test("tells that the loop works, in parts of what there is", async () => {
  await turn();
  const meter = openLoadMeter();
  onTestFinished(() => meter.close());
  work(50);
  await turn();
  const busy = meter.read();
  expect(busy.loop).toBeGreaterThan(0.9);
  expect(busy.loop).toBeLessThanOrEqual(1);
  expect(busy.processor).toBeGreaterThan(0);
  expect(busy.heap).toBeGreaterThan(0);
  expect(busy.heap).toBeLessThan(1);
  expect(busy.delayMs).toBeGreaterThanOrEqual(0);
});
