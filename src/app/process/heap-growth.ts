import { flushCompileCache } from "node:module";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HEAP_GROWTH } from "./memory-flags.ts";
import { choosesHeap } from "./node-flags.ts";

/** Larger heaps are collected soon anyway, and that takes long. */
const MAX_COLLECTED_BYTES = 64 * 1024 * 1024;

/**
 * Keeps the space for old objects small from now on, where the user did not choose sizes. Only when the first page is there: nearly
 * all that is made until then stays, and looking through it again and again takes a tenth of the processor time. Given at the start,
 * the flag would also have V8 refuse all compiled code that Node.js and its compile cache bring, which is bound to the flags: a sixth
 * of a start.
 */
export function boundHeapGrowth(): void {
  if (choosesHeap()) return;
  // What is compiled belongs to the flags of now, which the next start has as well.
  flushCompileCache();
  // V8 reads it at the end of each collection; that is no rule for other flags.
  setFlagsFromString(HEAP_GROWTH);
  if (getHeapStatistics().used_heap_size < MAX_COLLECTED_BYTES) collectGarbage();
}

/** A small heap would else wait for minutes with what the start has left behind, until it reaches the bound of before. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  setFlagsFromString("--no-expose-gc");
}
