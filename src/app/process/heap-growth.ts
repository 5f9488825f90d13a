import { flushCompileCache } from "node:module";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HEAP_GROWTH, LATE_GROWTH, NO_PRETENURING, PRETENURING, USUAL_GROWTH } from "./memory-flags.ts";
import { choosesHeap } from "./node-flags.ts";

/** That of some 30,000 channels. */
const MAX_SMALL_BYTES = 64 * 1024 * 1024;
/** How often it is looked whether the heap is a small one: a server may come later than the first page. */
export const LOOK_EVERY_MS = 60_000;
/** By then a scrape that waited for the first page has it. */
const SOON_MS = 1_000;

/** As setInterval. */
export type Every = (look: () => void, ms: number) => { unref(): void };

/**
 * Has V8 make all objects as young ones from now on, and look through the old ones late until `boundHeapGrowth`, where the user did
 * not choose sizes of the heap. To be called when all is loaded that answers of servers need, and before they come: what V8 has
 * compiled is bound to the flags, and code from Node.js's compile cache is refused after this.
 */
export function prepareHeap(): void {
  if (choosesHeap()) return;
  setFlagsFromString(NO_PRETENURING);
  setFlagsFromString(LATE_GROWTH);
  // A process that ends before its first page writes the compile cache then.
  if (!process.listeners("exit").includes(takeFlagsOfStart)) process.once("exit", takeFlagsOfStart);
}

/** To these belongs what is compiled. */
function takeFlagsOfStart(): void {
  setFlagsFromString(PRETENURING);
  setFlagsFromString(USUAL_GROWTH);
}

/** To be called with the first page: `boundHeapGrowth` follows, not at once, as it takes time when that page is scraped. */
export function boundHeapGrowthSoon(): void {
  setTimeout(() => boundHeapGrowth(), SOON_MS).unref();
}

/**
 * Keeps the heap small from now on, where the user did not choose sizes. Only when the first page is there: nearly all that is
 * made until then stays, and looking through it again and again takes a tenth of the processor time. Given at the
 * start, the flag would also have V8 refuse all compiled code that Node.js and its compile cache bring, which is bound to
 * the flags: a sixth of a start.
 */
export function boundHeapGrowth(every: Every = setInterval): void {
  if (choosesHeap()) return;
  takeFlagsOfStart();
  flushCompileCache();
  setFlagsFromString(NO_PRETENURING);
  // V8 reads these two whenever it is about to grow a space; that is no rule for other flags.
  setFlagsFromString(HEAP_GROWTH);
  sizeYoungSpace();
  if (isSmall()) collectGarbage();
  every(sizeYoungSpace, LOOK_EVERY_MS).unref();
}

/** The space for young objects doubles up to its bound, which pays where lists are long; else it stays as it is. */
function sizeYoungSpace(): void {
  setFlagsFromString(`--semi-space-growth-factor=${isSmall() ? 1 : 2}`);
}

function isSmall(): boolean {
  return getHeapStatistics().used_heap_size < MAX_SMALL_BYTES;
}

/**
 * A small heap would else wait for minutes with what the start has left behind, until it reaches the bound of before. This
 * kind, as when memory is short, also has the space for young objects shrink.
 */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")({ type: "major", execution: "sync", flavor: "last-resort" });
  setFlagsFromString("--no-expose-gc");
}
