import { Registry } from "prom-client";
import { afterEach, describe, expect, test } from "vitest";
import { Exposition, TooManyPages } from "../../src/exposition/exposition.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import type { PageReader } from "../../src/exposition/reader-memory.ts";
import { yieldToEventLoop } from "../../src/lib/yielding.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { shardKeyOf } from "../../src/store/shard-key.ts";
import { Store } from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";

const FAMILY: MetricFamily = { name: "value", type: "gauge", help: "", labels: ["id", "path"] };
const SERIES = 40_000;
const PADDING = "x".repeat(500);
const PAGE_BYTES = SERIES * 520;
const SPARE_BYTES = 32 * 1_024 * 1_024;
const TEXT = negotiateFormat({});
const OPENMETRICS = negotiateFormat({ accept: "application/openmetrics-text;version=1.0.0" });
const DOTS = negotiateFormat({ accept: "text/plain;version=1.0.0;escaping=dots" });
const running: Exposition[] = [];

afterEach(() => {
  for (const exposition of running.splice(0)) exposition.stop();
});

async function setUp() {
  const store = new Store([FAMILY]);
  const table = store.table(FAMILY);
  const clock = new ManualClock();
  const exposition = new Exposition({
    ...{ store, registry: new Registry(), clock },
    observer: { rendered() {} },
  });
  running.push(exposition);
  await store.commit(() => {
    for (let id = 0; id < SERIES; id++) table.set(table.add([String(id), PADDING], shardKeyOf("hq", String(id))), 0);
  });
  exposition.start();
  await exposition.refresh();
  const change = (value: number) =>
    store.commit(() => {
      for (let slot = 0; slot < SERIES; slot++) table.set(slot, value);
    });
  const changeOne = (value: number) => store.commit(() => table.set(0, value));
  return { clock, exposition, change, changeOne };
}

/** Outside the heap, where pages are. */
function memoryFromNow(): () => number {
  const before = process.memoryUsage().arrayBuffers;
  return () => process.memoryUsage().arrayBuffers - before;
}

function reader(cut: () => void = () => undefined, gone = new AbortController()) {
  const { promise: used, resolve: leave } = Promise.withResolvers<void>();
  const told: PageReader = { used, isExact: true, gone: gone.signal, cut };
  return { told, leave, gone };
}

describe("memory for pages", () => {
  test("shares all blocks except changed ones between compressed pages, without a copy", async () => {
    const { exposition, changeOne } = await setUp();
    const before = new Set(await exposition.page(OPENMETRICS, "gzip"));
    await changeOne(1);
    await exposition.refresh();
    const after = new Set(await exposition.page(OPENMETRICS, "gzip"));
    expect(after.size).toBeGreaterThan(30);
    // The block, and three for the end.
    expect(after.difference(before).size).toBe(4);
  });

  test("stays within its limit for any number of parts", async () => {
    const { exposition } = await setUp();
    const taken = memoryFromNow();
    let most = 0;
    const ask = async (first: number) => {
      for (let count = first; count <= 20; count += 4) {
        for (let index = 0; index < count; index += 2) {
          const { told, leave } = reader();
          const format = (index + count) % 2 === 0 ? TEXT : OPENMETRICS;
          await exposition.streamedPage(format, "identity", { index, count }, told);
          most = Math.max(most, taken());
          leave();
        }
      }
    };
    await Promise.all([2, 3, 4, 5].map(ask));
    // Kept, spare, and in the making.
    expect(most).toBeLessThan(2 * PAGE_BYTES + SPARE_BYTES);
  });

  test("returns when a part expires, but not during a read", async () => {
    const { exposition, clock } = await setUp();
    const { told, leave } = reader();
    const { beginning } = await exposition.streamedPage(TEXT, "identity", { index: 0, count: 2 }, told);
    const [header, ...lines] = beginning as readonly Buffer[];
    await clock.advance(1);
    for (const count of [3, 4, 5]) {
      for (let index = 0; index < count; index++) {
        await exposition.page(TEXT, "identity", { index, count }, Promise.resolve());
      }
    }
    expect(header?.toString()).toContain("# TYPE value gauge");
    expect(lines.every(({ length }) => length > 0)).toBe(true);
    leave();
    await yieldToEventLoop();
    expect(lines.every(({ length }) => length === 0)).toBe(true);
  });

  test("cuts slow readers of old pages, the oldest first", async () => {
    const { exposition, change } = await setUp();
    await exposition.page(TEXT, "identity", undefined, Promise.resolve());
    const cut: number[] = [];
    const readers = [];
    for (let round = 0; round < 8; round++) {
      const slow = reader(() => {
        cut.push(round);
        slow.leave();
      });
      readers.push(slow);
      await exposition.streamedPage(TEXT, "identity", undefined, slow.told);
      await change(round + 1);
      await exposition.refresh();
    }
    // Two pages and the spare, which is almost two more.
    expect([...new Set(cut)]).toEqual([0, 1, 2, 3, 4]);
    for (const { leave } of readers) leave();
  });

  test("ignores readers that left, and parts that must wait", async () => {
    const { exposition } = await setUp();
    const gone = reader();
    gone.gone.abort();
    await expect(exposition.streamedPage(TEXT, "identity", { index: 0, count: 7 }, gone.told)).rejects.toThrow("abort");
    const leaving = reader();
    const first = exposition.streamedPage(TEXT, "identity", { index: 1, count: 7 }, leaving.told);
    const others = Array.from({ length: 60 }, (_, index) =>
      exposition.streamedPage(TEXT, "identity", { index, count: 61 }, reader().told),
    );
    leaving.gone.abort();
    await expect(first).rejects.toThrow("abort");
    const outcomes = await Promise.allSettled(others);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused).toHaveLength(28);
    expect(refused.every(({ reason }) => reason instanceof TooManyPages)).toBe(true);
  });

  test("holds one piece of the page at a time if names need escaping", async () => {
    const { exposition } = await setUp();
    const { told, leave } = reader();
    const { beginning, end } = await exposition.streamedPage(DOTS, "identity", undefined, told);
    let bytes = 0;
    let largest = 0;
    for await (const { length } of beginning) {
      bytes += length;
      largest = Math.max(largest, length);
    }
    expect(bytes).toBeGreaterThan(SERIES * PADDING.length);
    expect(largest).toBeLessThan(256 * 1_024);
    expect(await end()).toEqual([]);
    leave();
  });
});
