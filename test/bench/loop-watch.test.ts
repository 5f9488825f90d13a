import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { LoopWatch } from "../../bench/processes/loop-watch.ts";

const SPIN_MS = 60;

describe("LoopWatch", () => {
  test("measures the longest turn in CPU time of the thread and by the clock", async () => {
    const watch = new LoopWatch();
    watch.start();
    await sleep(20);
    spin(SPIN_MS);
    await sleep(20);
    const { longestOwnMs, longestMs } = watch.stop();
    expect(longestOwnMs).toBeGreaterThan(0.8 * SPIN_MS);
    expect(longestMs).toBeGreaterThan(0.8 * SPIN_MS);
  });

  test("counts no CPU time while idle, and resets at the start", async () => {
    const watch = new LoopWatch();
    watch.start();
    spin(SPIN_MS);
    await sleep(5);
    watch.start();
    await sleep(20);
    // Waits without work.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SPIN_MS);
    await sleep(20);
    const { longestOwnMs, longestMs, p99OwnMs } = watch.stop();
    expect(longestMs).toBeGreaterThan(0.8 * SPIN_MS);
    expect(longestOwnMs).toBeLessThan(0.5 * SPIN_MS);
    expect(p99OwnMs).toBeLessThanOrEqual(longestOwnMs);
  });
});

/** Uses this processor time, even on a busy machine. */
function spin(ms: number): void {
  const own = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  for (const end = own() + ms; own() < end; );
}
