import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { RequestBudget } from "../../src/lib/request-budget.ts";
import { rejection } from "../prtg/support/test-client.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";

describe("concurrency", () => {
  test("never exceeds the limit and serves all, despite aborted and slow requests", async () => {
    const arbitraryRequest = fc.record({
      arrivesMs: fc.integer({ min: 0, max: 500 }),
      takesMs: fc.integer({ min: 0, max: 300 }),
      abortsMs: fc.option(fc.integer({ min: 0, max: 800 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(5, 20, Number.POSITIVE_INFINITY),
        fc.array(arbitraryRequest, { maxLength: 12 }),
        async (concurrency, requestsPerSecond, requests) => {
          const clock = new ManualClock();
          const budget = new RequestBudget(clock, { concurrency, requestsPerSecond });
          const starts: number[] = [];
          let inFlight = 0;
          let most = 0;
          const run = async ({ arrivesMs, takesMs, abortsMs }: (typeof requests)[number]): Promise<string> => {
            await clock.sleep(arrivesMs);
            const controller = new AbortController();
            if (abortsMs !== undefined) void clock.sleep(abortsMs).then(() => controller.abort(new Error("aborted")));
            let release: () => void;
            try {
              release = await budget.acquire(controller.signal);
            } catch {
              return "aborted";
            }
            starts.push(clock.monotonic());
            most = Math.max(most, ++inFlight);
            await clock.sleep(takesMs);
            inFlight--;
            release();
            release();
            return "served";
          };
          const outcomes = requests.map(run);
          await clock.advance(60_000);
          const results = await Promise.all(outcomes);
          expect(most).toBeLessThanOrEqual(concurrency);
          for (const [index, { abortsMs }] of requests.entries()) {
            if (abortsMs === undefined) expect(results[index]).toBe("served");
          }
          const spacing = 1000 / requestsPerSecond;
          for (const [index, start] of starts.entries()) {
            const before = starts[index - 1];
            if (before !== undefined) expect(start - before).toBeGreaterThanOrEqual(spacing - 1e-6);
          }
          expect(clock.pending).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("counts an aborted request until its holder releases it", async () => {
    const budget = new RequestBudget(new ManualClock(), {
      concurrency: 1,
      requestsPerSecond: Number.POSITIVE_INFINITY,
    });
    const first = new AbortController();
    const release = await budget.acquire(first.signal);
    let admitted = false;
    const second = budget.acquire(never).then(() => {
      admitted = true;
    });
    first.abort();
    await new Promise((resolve) => setImmediate(resolve));
    expect(admitted).toBe(false);
    release();
    await second;
    expect(admitted).toBe(true);
  });

  test("serves requests in order", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 1, requestsPerSecond: 10 });
    const order: number[] = [];
    const all = [1, 2, 3, 4].map(async (number) => {
      const release = await budget.acquire(never);
      order.push(number);
      release();
    });
    await clock.advance(1000);
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3, 4]);
  });
});

describe("free place", () => {
  test("needs no signal listener, and a waiting request has one until its turn", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 1, requestsPerSecond: Number.POSITIVE_INFINITY });
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    const release = await budget.acquire(signal);
    expect(added).not.toHaveBeenCalled();
    const waiting = budget.acquire(signal);
    expect(added).toHaveBeenCalledTimes(1);
    release();
    (await waiting)();
    expect(removed).toHaveBeenCalledTimes(1);
  });

  test("goes to the earliest request, even if a new one sees it first", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 3, requestsPerSecond: 10 });
    await budget.acquire(never);
    const order: string[] = [];
    void budget.acquire(never).then(() => order.push("first"));
    // The pace allows one more, but its timer has not fired.
    clock.skip(100);
    void budget.acquire(never).then(() => order.push("newcomer"));
    await clock.advance(0);
    expect(order).toEqual(["first"]);
    await clock.advance(100);
    expect(order).toEqual(["first", "newcomer"]);
  });
});

describe("pacing", () => {
  async function admittedAfter(clock: ManualClock, budget: RequestBudget, ms: number): Promise<boolean> {
    let admitted = false;
    void budget.acquire(never).then((release) => {
      admitted = true;
      release();
    });
    await clock.advance(ms);
    return admitted;
  }

  test("continues after the wall clock goes back", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 1, requestsPerSecond: 10 });
    (await budget.acquire(never))();
    clock.setWallClock(clock.now() - 3_600_000);
    expect(await admittedAfter(clock, budget, 100)).toBe(true);
  });

  test("starts nothing during a pause of the server", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 4, requestsPerSecond: 1000 });
    budget.hold(7_000);
    expect(budget.heldForMs()).toBe(7_000);
    expect(await admittedAfter(clock, budget, 6_999)).toBe(false);
    await clock.advance(1);
    expect(await admittedAfter(clock, budget, 10)).toBe(true);
  });

  test("applies a pause to waiting requests", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 1, requestsPerSecond: 10 });
    (await budget.acquire(never))();
    const waiting = admittedAfter(clock, budget, 50);
    budget.hold(1_000);
    expect(await waiting).toBe(false);
    expect(await admittedAfter(clock, budget, 900)).toBe(false);
    await clock.advance(200);
    expect(clock.pending).toEqual([]);
  });
});

describe("waiting", () => {
  test("ends with the signal's reason and leaves no timer", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 1, requestsPerSecond: 1 });
    (await budget.acquire(never))();
    const controller = new AbortController();
    const waiting = rejection(budget.acquire(controller.signal));
    expect(clock.pending).toEqual([1000]);
    const reason = new Error("no longer wanted");
    controller.abort(reason);
    expect(await waiting).toBe(reason);
    expect(clock.pending).toEqual([]);
    expect(await rejection(budget.acquire(controller.signal))).toBe(reason);
  });

  test("lets a new request start after the only waiting one aborted", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 1, requestsPerSecond: 1 });
    (await budget.acquire(never))();
    const controller = new AbortController();
    const gaveUp = rejection(budget.acquire(controller.signal));
    controller.abort(new Error("no longer wanted"));
    let admitted = false;
    void budget.acquire(never).then(() => {
      admitted = true;
    });
    await gaveUp;
    await clock.advance(1000);
    expect(admitted).toBe(true);
  });
});
