import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { HEAP_FLAGS } from "../../../src/app/process/memory-flags.ts";

const run = promisify(execFile);
const MODULE = fileURLToPath(new URL("../../../src/app/process/heap-growth.ts", import.meta.url));
/** Garbage beside what stays, as a start leaves it, and then more of both. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { boundHeapGrowth } from ${JSON.stringify(MODULE)};
  const megabyte = () => Array.from({ length: 16_384 }, (_, index) => ({ index, next: index + 0.5 }));
  const kept = Array.from({ length: 4 }, megabyte);
  let dropped = Array.from({ length: 12 }, megabyte);
  dropped = [];
  const young = () => getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size;
  const before = process.memoryUsage().heapUsed;
  let look;
  boundHeapGrowth((given) => {
    look = given;
    return { unref: () => undefined };
  });
  const after = process.memoryUsage().heapUsed;
  // Nothing looks where the user has chosen.
  const rounds = look === undefined ? 0 : 100;
  const many = () => { for (let times = 0; times < rounds; times++) kept[times % 4] = megabyte(); };
  many();
  const youngSmall = young();
  const large = Array.from({ length: 100 }, megabyte);
  look?.();
  many();
  const youngLarge = young();
  console.log(JSON.stringify({ before, after, youngSmall, youngLarge, kept: kept.length + large.length, gc: typeof globalThis.gc }));
`;

interface Told {
  /** Heap in use, bytes. */
  readonly before: number;
  readonly after: number;
  /** Bytes of the space for young objects, in a small heap and in a large one. */
  readonly youngSmall: number;
  readonly youngLarge: number;
}

async function bound(flags: readonly string[], nodeOptions = ""): Promise<Told> {
  const { stdout, stderr } = await run(process.execPath, [...flags, "--input-type=module", "--eval", PROGRAM], {
    env: { PATH: process.env.PATH, NODE_OPTIONS: nodeOptions },
  });
  expect(stderr).toBe("");
  const told = JSON.parse(stdout);
  expect(told).toMatchObject({ kept: 104, gc: "undefined" });
  return told;
}

test("a small heap is rid of what the start has left, and its space for young objects stays small until it is large", async () => {
  const { before, after, youngSmall, youngLarge } = await bound(HEAP_FLAGS);
  expect(after).toBeLessThan(0.8 * before);
  expect(youngSmall).toBeLessThan(5 * 1024 * 1024);
  expect(youngLarge).toBeGreaterThan(1.5 * youngSmall);
});

test.each([
  [["--max-semi-space-size=32"], ""],
  [["--heap-growing-percent=80"], ""],
  [[], "--max_semi_space_size=32"],
])("what the user has chosen stays: %j %s", async (flags, nodeOptions) => {
  const { before, after } = await bound(flags, nodeOptions);
  expect(after).toBeGreaterThan(0.9 * before);
});

/** What it makes stays at first, and then lives for no time: without the flag V8 made all of that among old objects. */
const PLACE_OF_LONG_LIVED = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { prepareHeap } from ${JSON.stringify(MODULE)};
  const old = () => getHeapSpaceStatistics().find((space) => space.space_name === "old_space").space_used_size;
  const make = (number) => ({ number, inner: { half: number + 0.5 }, list: [number, number + 1] });
  const makeMany = (count, kept) => {
    for (let at = 0; at < count; at++) {
      const made = make(at);
      if (kept !== undefined) kept[at % kept.length] = made;
    }
  };
  prepareHeap();
  const kept = new Array(400_000).fill(undefined);
  makeMany(2 * kept.length, kept);
  let grown = 0;
  for (let round = 0; round < 200; round++) {
    const before = old();
    makeMany(10_000);
    grown += Math.max(0, old() - before);
  }
  console.log(JSON.stringify({ grown, kept: kept.length }));
`;

test("what is made where long-lived objects were made before is made young", async () => {
  const { stdout } = await run(
    process.execPath,
    [...HEAP_FLAGS, "--input-type=module", "--eval", PLACE_OF_LONG_LIVED],
    {
      env: { PATH: process.env.PATH },
    },
  );
  // 320 MB without the flag.
  expect(JSON.parse(stdout).grown).toBeLessThan(40 * 1024 * 1024);
});

/** What a first page brings stays: the heap grows to seven times what the last look through it has found. */
const FIRST_PAGE = `
  import { constants, PerformanceObserver } from "node:perf_hooks";
  import { setTimeout as sleep } from "node:timers/promises";
  import { prepareHeap } from ${JSON.stringify(MODULE)};
  let looks = 0;
  new PerformanceObserver((list) => {
    looks += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
  }).observe({ entryTypes: ["gc"] });
  const megabyte = () => Array.from({ length: 16_384 }, (_, index) => ({ index, next: index + 0.5 }));
  const kept = [];
  const grow = async (until) => {
    while (kept.length < until) {
      kept.push(megabyte());
      await sleep(1);
    }
    await sleep(50);
  };
  if (process.argv[1] === "prepared") prepareHeap();
  await grow(15);
  globalThis.gc();
  await sleep(50);
  looks = 0;
  await grow(110);
  console.log(JSON.stringify({ looks, kept: kept.length }));
`;

test("while the first page is made the heap is not looked through again and again", async () => {
  const looks = async (how: string): Promise<number> => {
    const flags = [...HEAP_FLAGS, "--expose-gc", "--input-type=module", "--eval", FIRST_PAGE];
    const { stdout } = await run(process.execPath, [...flags, how], { env: { PATH: process.env.PATH } });
    return JSON.parse(stdout).looks;
  };
  expect(await looks("usual")).toBeGreaterThan(0);
  expect(await looks("prepared")).toBe(0);
});

/** Garbage in a small heap, and how much of it is there at once and later. */
const SOON = `
  import { setTimeout as sleep } from "node:timers/promises";
  import { boundHeapGrowthSoon } from ${JSON.stringify(MODULE)};
  let dropped = Array.from({ length: 12 }, () => Array.from({ length: 16_384 }, (_, index) => ({ index, next: index + 0.5 })));
  dropped = undefined;
  const before = process.memoryUsage().heapUsed;
  boundHeapGrowthSoon();
  await sleep(200);
  const atOnce = process.memoryUsage().heapUsed;
  await sleep(1_500);
  console.log(JSON.stringify({ before, atOnce, later: process.memoryUsage().heapUsed }));
`;

test("the first scrape does not wait for the look through the heap that follows the first page", async () => {
  const flags = [...HEAP_FLAGS, "--input-type=module", "--eval", SOON];
  const { stdout } = await run(process.execPath, flags, { env: { PATH: process.env.PATH } });
  const { before, atOnce, later } = JSON.parse(stdout);
  expect(atOnce).toBeGreaterThan(0.9 * before);
  expect(later).toBeLessThan(0.6 * before);
});
