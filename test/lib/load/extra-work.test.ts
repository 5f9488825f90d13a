import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FIRST_RATE, MIN_AT_ONCE, MIN_RATE } from "../../../src/lib/load/adaptive-rate.ts";
import { type ExtraRequest, ExtraWork, type Leave, MAX_GIVEN_WAY_MS } from "../../../src/lib/load/extra-work.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const never = new AbortController().signal;
const SECOND = 1_000;

interface Subject {
  readonly clock: ManualClock;
  readonly work: ExtraWork;
  /** Names of units in the order in which they began. */
  readonly began: string[];
  readonly refused: string[];
  /** Each unit is over after so many milliseconds. */
  ask(name: string, request?: Partial<ExtraRequest>, ms?: number): void;
  /** A second under a pressure. */
  pass(pressure: "calm" | "steady" | "high", seconds: number): Promise<void>;
}

function subject(): Subject {
  const clock = new ManualClock();
  const work = new ExtraWork(clock);
  const began: string[] = [];
  const refused: string[] = [];
  return {
    ...{ clock, work, began, refused },
    ask: (name, request = {}, ms = 0) => {
      const whole = { collector: "timeseries", ageMs: 0, cost: 1, until: Number.POSITIVE_INFINITY, ...request };
      void work.ask(whole, never).then(async (leave: Leave | undefined) => {
        (leave === undefined ? refused : began).push(name);
        await clock.sleep(ms);
        leave?.end();
      });
    },
    pass: async (pressure, seconds) => {
      for (let second = 0; second < seconds; second++) {
        await clock.advance(SECOND);
        work.adapt(pressure);
      }
    },
  };
}

/** As a process under pressure for long: the least goes on. */
async function pressed(): Promise<Subject> {
  const one = subject();
  one.work.adapt("steady");
  for (let unit = 0; unit < 10 * FIRST_RATE; unit++) one.ask("before", { until: 30 * SECOND });
  await one.pass("high", 40);
  expect(one.work.rate).toBe(MIN_RATE);
  one.began.length = 0;
  one.refused.length = 0;
  return one;
}

describe("extra work", () => {
  test("begins at once while there is time", async () => {
    const { work } = subject();
    const leave = await work.ask(
      { collector: "timeseries", ageMs: 0, cost: 1, until: Number.POSITIVE_INFINITY },
      never,
    );
    expect(leave).toBeDefined();
    expect(work.waiting("timeseries")).toBe(0);
  });

  test("is not held back where nothing measures the load, as in a single poll while time stands still", async () => {
    const { work } = subject();
    for (let run = 0; run < 100; run++) {
      const request = { collector: "limits", ageMs: 0, cost: 70, until: Number.POSITIVE_INFINITY };
      (await work.ask(request, never))?.end();
    }
    expect(work.waiting("limits")).toBe(0);
  });

  test("goes on in the order of the gaps, the oldest first, whoever asked first", async () => {
    const { ask, began, pass } = await pressed();
    const ages = [5, 300, 20, Number.POSITIVE_INFINITY, 100];
    // Takes the one that may begin now.
    ask("first");
    for (const age of ages) ask(String(age), { ageMs: age * SECOND });
    await pass("steady", 3);
    expect(began).toEqual(["first", "Infinity", "300", "100", "20", "5"]);
  });

  test("the order is that of the gaps for any of them, across servers that each ask for their oldest", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uniqueArray(fc.nat(100_000), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 }),
        async (servers) => {
          const { ask, work, clock, pass } = await pressed();
          const began: number[] = [];
          const read = async (ages: readonly number[]) => {
            for (const ageMs of ages.toSorted((a, b) => b - a)) {
              const waited = clock.monotonic() - start;
              const request = {
                collector: "timeseries",
                ageMs: ageMs + waited,
                cost: 1,
                until: Number.POSITIVE_INFINITY,
              };
              const leave = await work.ask(request, never);
              began.push(ageMs);
              leave?.end();
            }
          };
          // Takes what may begin at once.
          ask("before");
          await Promise.resolve();
          const start = clock.monotonic();
          const all = Promise.all(servers.map(read));
          await pass("steady", 10);
          await all;
          expect(began).toEqual(servers.flat().sort((a, b) => b - a));
        },
      ),
      { numRuns: 25 },
    );
  });

  test("gets less under pressure, and as much as before when it is over", async () => {
    const { ask, began, pass, work } = await pressed();
    for (let unit = 0; unit < 5_000; unit++) ask("unit");
    await pass("high", 10);
    expect(began.length).toBeLessThanOrEqual(10 * MIN_RATE + 1);
    expect(began.length).toBeGreaterThanOrEqual(10 * MIN_RATE - 1);
    await pass("calm", 40);
    expect(work.rate).toBeGreaterThan(FIRST_RATE);
    expect(began.length).toBeGreaterThan(1_000);
  });

  test("what is not wanted any more is given up, and what is aborted rejects", async () => {
    const { ask, began, refused, pass, work } = await pressed();
    const stop = new AbortController();
    ask("first", { cost: 3 * MIN_RATE });
    ask("too late", { until: 42 * SECOND });
    const stopped = work.ask({ collector: "limits", ageMs: 0, cost: 1, until: Number.POSITIVE_INFINITY }, stop.signal);
    expect([work.waiting("timeseries"), work.waiting("limits")]).toEqual([1, 1]);
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    await pass("steady", 3);
    expect([began, refused]).toEqual([["first"], ["too late"]]);
    expect([work.waiting("timeseries"), work.waiting("limits")]).toEqual([0, 0]);
  });

  test("a unit of many requests leaves less for those after it", async () => {
    const { ask, began, pass } = await pressed();
    ask("list", { cost: 5 * MIN_RATE });
    ask("series");
    await pass("steady", 4);
    expect(began).toEqual(["list"]);
    await pass("steady", 2);
    expect(began).toEqual(["list", "series"]);
  });

  test("not more than some are under way at a time, as long as there is no time to spare", async () => {
    const { ask, began, pass } = subject();
    for (let unit = 0; unit < 100; unit++) ask("slow", {}, 10 * SECOND);
    await pass("steady", 9);
    expect(began).toHaveLength(MIN_AT_ONCE);
    await pass("steady", 10);
    expect(began).toHaveLength(2 * MIN_AT_ONCE);
  });

  test("slow servers do not keep their places from others while there is time to spare, and do under pressure", async () => {
    const { ask, began, pass } = subject();
    for (let unit = 0; unit < MIN_AT_ONCE; unit++) ask("slow", { ageMs: 100 * SECOND }, 100 * SECOND);
    ask("of another server");
    await pass("calm", 3);
    expect(began.at(-1)).toBe("of another server");
    await pass("high", 1);
    ask("later");
    await pass("steady", 10);
    expect(began.at(-1)).toBe("of another server");
  });

  test("does not wait beyond its time, and begins all the same where it need not wait", async () => {
    const { ask, began, refused, clock, pass, work } = subject();
    work.adapt("steady");
    await pass("steady", 2);
    ask("at once", { until: clock.monotonic() - SECOND });
    await clock.advance(0);
    expect([began, refused]).toEqual([["at once"], []]);
    for (let unit = 0; unit < FIRST_RATE; unit++) ask("before");
    ask("not at once", { until: clock.monotonic() - SECOND });
    await clock.advance(0);
    expect(refused).toEqual(["not at once"]);
  });

  test("nothing begins while a page is sent, unless there is time to spare", async () => {
    const { ask, began, clock, pass, work } = subject();
    work.adapt("steady");
    const page = Promise.withResolvers<void>();
    work.giveWayTo(page.promise);
    ask("meanwhile");
    await clock.advance(MAX_GIVEN_WAY_MS - 1);
    expect(began).toEqual([]);
    page.reject(new Error("the reader has gone"));
    await clock.advance(0);
    expect(began).toEqual(["meanwhile"]);
    await pass("calm", 1);
    work.giveWayTo(new Promise(() => undefined));
    ask("with time to spare");
    await clock.advance(0);
    expect(began.at(-1)).toBe("with time to spare");
  });

  test("slow readers, and pages without a break between them, do not keep it for long", async () => {
    const { ask, began, clock, work } = subject();
    work.adapt("high");
    ask("meanwhile");
    await clock.advance(0);
    for (let page = 0; page < 4; page++) {
      work.giveWayTo(clock.sleep(MAX_GIVEN_WAY_MS));
      ask(`while page ${page} is sent`);
      await clock.advance(MAX_GIVEN_WAY_MS / 2);
    }
    expect(began).toHaveLength(5);
  });

  test("counts what was left for later, by collector", () => {
    const { work } = subject();
    work.deferred("timeseries", 3);
    work.deferred("timeseries", 0);
    work.deferred("timeseries", 4);
    expect([work.deferredBy("timeseries"), work.deferredBy("limits")]).toEqual([7, 0]);
  });
});
