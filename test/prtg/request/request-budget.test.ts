import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { RequestBudget } from "../../../src/prtg/request/request-budget.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never, rejection } from "../support/test-client.ts";

describe("concurrency", () => {
  test("is never exceeded, and everyone gets a turn, whatever is aborted or slow", async () => {
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

  test("counts a request until its holder says that it ended, although it was aborted", async () => {
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

  test("serves in the order of arrival", async () => {
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

describe("a free place", () => {
  test("is taken without a listener on the signal; who waits has one until it is served", async () => {
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

  test("is for who came first, although the newcomer is the first to see it", async () => {
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

  test("is not stalled by a wall clock that is set back", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 1, requestsPerSecond: 10 });
    (await budget.acquire(never))();
    clock.setWallClock(clock.now() - 3_600_000);
    expect(await admittedAfter(clock, budget, 100)).toBe(true);
  });

  test("lets nothing start while the server wants a pause", async () => {
    const clock = new ManualClock();
    const budget = new RequestBudget(clock, { concurrency: 4, requestsPerSecond: 1000 });
    budget.hold(7_000);
    expect(budget.heldForMs()).toBe(7_000);
    expect(await admittedAfter(clock, budget, 6_999)).toBe(false);
    await clock.advance(1);
    expect(await admittedAfter(clock, budget, 10)).toBe(true);
  });

  test("a pause asked for while others wait holds them too", async () => {
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
  test("ends with the signal's reason, and leaves no timer behind", async () => {
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

  test("a newcomer is served right after the only one who waited gave up", async () => {
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
