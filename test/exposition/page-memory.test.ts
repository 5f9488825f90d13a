import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Registry } from "prom-client";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Exposition, TooManyPages } from "../../src/exposition/exposition.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import type { PageReader } from "../../src/exposition/page-readers.ts";
import type { StreamedPage } from "../../src/exposition/representation.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { BLOCK_SIZE } from "../../src/store/series-block.ts";
import { shardKeyOf } from "../../src/store/shard-key.ts";
import { Store } from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";

const FAMILY: MetricFamily = { name: "value", type: "gauge", help: "", labels: ["id", "path"] };
const SERIES = 40_000;
const PADDING = "x".repeat(500);
const PAGE_BYTES = SERIES * 520;
const TEXT = negotiateFormat({});
const OPENMETRICS = negotiateFormat({ accept: "application/openmetrics-text;version=1.0.0" });
const DOTS = negotiateFormat({ accept: "text/plain;version=1.0.0;escaping=dots" });
const running: Exposition[] = [];

afterEach(() => {
  for (const exposition of running.splice(0)) exposition.stop();
});

setFlagsFromString("--expose-gc");
const gc: () => void = runInNewContext("gc");

async function setUp(paddingOf = () => PADDING) {
  const store = new Store([FAMILY]);
  const table = store.table(FAMILY);
  const clock = new ManualClock();
  const exposition = new Exposition({
    ...{ store, registry: new Registry(), clock },
    observer: { rendered() {} },
  });
  running.push(exposition);
  await store.commit(() => {
    for (let id = 0; id < SERIES; id++)
      table.set(table.add([String(id), paddingOf()], shardKeyOf("hq", String(id))), 0);
  });
  exposition.start();
  await exposition.refresh();
  const change = (value: number) =>
    store.commit(() => {
      for (let slot = 0; slot < SERIES; slot++) table.set(slot, value);
    });
  const changeOne = (value: number) => store.commit(() => table.set(0, value));
  return { exposition, change, changeOne };
}

/** Outside the heap, where pages are. */
function memoryFromNow(): () => number {
  const before = process.memoryUsage().arrayBuffers;
  return () => process.memoryUsage().arrayBuffers - before;
}

function reader(cut: () => void = () => undefined, gone = new AbortController()) {
  const { promise: used, resolve: leave } = Promise.withResolvers<void>();
  const told: PageReader = { used, gone: gone.signal, cut };
  return { told, leave, gone };
}

async function readPieces(pieces: StreamedPage["beginning"]) {
  let bytes = 0;
  let largest = 0;
  for await (const { length } of pieces) {
    bytes += length;
    largest = Math.max(largest, length);
  }
  return { bytes, largest };
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

  test("has no lines, only their compressed form", async () => {
    const taken = memoryFromNow();
    const { exposition, change } = await setUp();
    await change(1);
    await exposition.refresh();
    for (const index of [0, 1]) await exposition.page(OPENMETRICS, "gzip", { index, count: 2 });
    // V8 frees buffers some time after a collection.
    await vi.waitFor(() => {
      gc();
      // Compressed, in the whole page and in its halves, and the store.
      expect(taken()).toBeLessThan(PAGE_BYTES / 2);
    });
  });

  test("holds one piece at a time while an uncompressed page is read", async () => {
    const { exposition, change } = await setUp();
    const { told, leave } = reader();
    const { beginning, end } = await exposition.streamedPage(TEXT, "identity", undefined, told);
    await change(1);
    await exposition.refresh();
    const { bytes, largest } = await readPieces(beginning);
    expect(bytes).toBeGreaterThan(SERIES * PADDING.length);
    expect(largest).toBeLessThan(BLOCK_SIZE * 600);
    expect(await end()).toEqual([Buffer.alloc(0)]);
    leave();
  });

  test("cuts slow readers of old pages, the oldest first", async () => {
    // Such a page is half as large when compressed, and one of 32 MiB more may be held.
    const { exposition, change } = await setUp(() => randomBytes(PADDING.length / 2).toString("hex"));
    const cut: number[] = [];
    const readers = [];
    for (let round = 0; round < 6; round++) {
      const slow = reader(() => {
        cut.push(round);
        slow.leave();
      });
      readers.push(slow);
      await exposition.streamedPage(TEXT, "identity", undefined, slow.told);
      await change(round + 1);
      await exposition.refresh();
    }
    expect(cut).toEqual([0, 1]);
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
    const { bytes, largest } = await readPieces(beginning);
    expect(bytes).toBeGreaterThan(SERIES * PADDING.length);
    expect(largest).toBeLessThan(256 * 1_024);
    expect(await end()).toEqual([]);
    leave();
  });
});
