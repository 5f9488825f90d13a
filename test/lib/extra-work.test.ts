import fc from "fast-check";
import { expect, test } from "vitest";
import { type ExtraRead, ExtraWork, MAX_AT_ONCE, MAX_PAUSE_MS, MAX_UTILIZATION } from "../../src/lib/extra-work.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";

const BUSY = 1;
const IDLE = 0;

function subject() {
  const clock = new ManualClock();
  const work = new ExtraWork(clock);
  const began: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const read = async (name: string, request: Partial<ExtraRead> = {}) => {
    const all = { collector: "timeseries", ageMs: 0, deadline: Number.POSITIVE_INFINITY, ...request };
    const end = await work.acquire(all, never);
    (end === undefined ? refused : began).push(name);
    if (end !== undefined) ends.push(end);
  };
  const follow = async (utilization: number, times = 1) => {
    for (let time = 0; time < times; time++) {
      work.follow(utilization);
      await clock.advance(0);
    }
  };
  return { clock, work, began, refused, ends, read, follow };
}

test.each([
  ["nothing was measured", undefined, MAX_AT_ONCE],
  ["the loop has time to spare", IDLE, MAX_AT_ONCE],
  ["the loop is just not busy", MAX_UTILIZATION, MAX_AT_ONCE],
  ["the loop is busy: one with each measurement", BUSY, 1],
] as const)("the expected number starts concurrently if %s", async (_, utilization, count) => {
  const { work, began, read, follow } = subject();
  if (utilization !== undefined) await follow(utilization);
  for (let unit = 0; unit < MAX_AT_ONCE + 9; unit++) void read("unit");
  await follow(utilization ?? IDLE);
  expect(began).toHaveLength(count);
  expect([work.queued("timeseries"), work.queued("limits")]).toEqual([MAX_AT_ONCE + 9 - count, 0]);
});

test.each([IDLE, BUSY])("the end of a read starts the next one, at a utilization of %d", async (utilization) => {
  const { began, ends, read, follow } = subject();
  for (let unit = 0; unit <= MAX_AT_ONCE; unit++) void read(String(unit));
  await follow(utilization, 9);
  expect(began).toHaveLength(MAX_AT_ONCE);
  ends[0]?.();
  await follow(utilization);
  expect(began.at(-1)).toBe(String(MAX_AT_ONCE));
});

test("the oldest gap comes first, for any server, and none starves", async () => {
  const gaps = fc.uniqueArray(fc.nat(100_000), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(gaps, { minLength: 1, maxLength: 5 }), async (servers) => {
      const { clock, work, follow } = subject();
      const began: number[] = [];
      await follow(BUSY);
      const start = clock.monotonic();
      const reading = servers.map(async (ages) => {
        for (const age of ages.toSorted((a, b) => b - a)) {
          const ageMs = age + clock.monotonic() - start;
          const end = await work.acquire({ collector: "timeseries", ageMs, deadline: Number.POSITIVE_INFINITY }, never);
          began.push(age);
          end?.();
        }
      });
      for (let time = 0; time < servers.flat().length; time++) {
        await clock.advance(250);
        await follow(BUSY);
      }
      await Promise.all(reading);
      expect(began).toEqual(servers.flat().sort((a, b) => b - a));
    }),
    { numRuns: 25 },
  );
});

test("priority reads come before any gap", async () => {
  const { began, read, follow } = subject();
  await follow(BUSY);
  for (const ageMs of [5, Number.POSITIVE_INFINITY, 1e12]) void read(String(ageMs), { ageMs });
  await follow(BUSY, 3);
  expect(began).toEqual(["Infinity", "1000000000000", "5"]);
});

test("a late read fails, a read without a wait succeeds, and an aborted read rejects", async () => {
  const { clock, work, began, refused, read, follow } = subject();
  await clock.advance(1_000);
  void read("in time", { deadline: 0 });
  await follow(BUSY);
  expect(began).toEqual(["in time"]);
  void read("late from the start", { deadline: 0 });
  void read("late", { deadline: 1_100 });
  const stop = new AbortController();
  const stopped = work.acquire({ collector: "limits", ageMs: 0, deadline: Number.POSITIVE_INFINITY }, stop.signal);
  await clock.advance(100);
  expect(refused).toEqual(["late from the start"]);
  void read("oldest", { ageMs: 1_000 });
  await follow(BUSY);
  expect([began, refused]).toEqual([
    ["in time", "oldest"],
    ["late from the start", "late"],
  ]);
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  expect(work.queued("limits")).toBe(0);
});

test.each<[string, { ms: number; fails?: true }[], number]>([
  ["while a page is sent", [{ ms: 100 }], 100],
  ["while any of several pages is sent", [{ ms: 100 }, { ms: 200 }], 200],
  ["while a page is sent to a reader that breaks off", [{ ms: 100, fails: true }], 100],
  ["for no longer than the longest pause for slow readers", [{ ms: 60_000 }], MAX_PAUSE_MS],
])("no read starts %s", async (_, pages, pauseMs) => {
  for (const utilization of [IDLE, BUSY]) {
    const { clock, work, began, read, follow } = subject();
    for (const { ms, fails } of pages) {
      work.pauseFor(clock.sleep(ms).then(() => (fails ? Promise.reject(new Error("gone")) : undefined)));
    }
    void read("meanwhile");
    await clock.advance(pauseMs - 1);
    await follow(utilization);
    expect(began).toEqual([]);
    await clock.advance(1);
    await follow(utilization);
    expect(began).toEqual(["meanwhile"]);
  }
});

test("reads start at once when the page is sent", async () => {
  const { clock, work, began, read } = subject();
  work.pauseFor(clock.sleep(100));
  for (let unit = 0; unit < 3; unit++) void read("meanwhile");
  await clock.advance(100);
  expect(began).toHaveLength(3);
});

test("continuous pages delay reads only briefly", async () => {
  const { clock, work, began, read, follow } = subject();
  void read("before");
  for (let page = 0; page < 6; page++) {
    work.pauseFor(clock.sleep(MAX_PAUSE_MS));
    void read(`while page ${page} is sent`);
    await clock.advance(MAX_PAUSE_MS / 2);
    await follow(IDLE);
  }
  expect(began).toHaveLength(7);
});

test("the counter reports reads deferred since the last call", () => {
  const { work } = subject();
  work.countDeferred(3);
  work.countDeferred(4);
  expect([work.takeDeferred(), work.takeDeferred()]).toEqual([7, 0]);
});

test("a read that is aborted from the start rejects, though the gate is closed", async () => {
  const { work, follow } = subject();
  await follow(BUSY);
  const read = { collector: "limits", ageMs: 0, deadline: Number.POSITIVE_INFINITY };
  const acquired = work.acquire(read, AbortSignal.abort(new Error("stopped")));
  await expect(Promise.race([acquired, follow(IDLE)])).rejects.toThrow("stopped");
  expect(work.queued("limits")).toBe(0);
});
