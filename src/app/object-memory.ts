import { getHeapStatistics } from "node:v8";
import type { ServerConfig } from "../config/resolve.ts";
import type { ServerSettings } from "../config/schema.ts";
import type { ApiLimits } from "../prtg/options.ts";

/** Of the heap, for each object of the longest list: enough for a list that is read while the one before is shown. */
const HEAP_BYTES_PER_OBJECT = 1024;
const MIN_OBJECTS = 10_000;
const MAX_OBJECTS = 1_000_000;
/** Seen: about 20 for a channel, 60 for a sensor with its tags. */
const CHARACTERS_PER_OBJECT = 64;

/** A text of the server may be in so many labels, on average: that of a device is in those of its sensors. */
const LABEL_COPIES = 4;

/** Of the heap, for code and everything else that is no object of a server. */
const BASE_HEAP_BYTES = 32 * 2 ** 20;
/** Of the rest; V8 needs room for what is not collected yet, and gives up when it finds too little of it. */
const OBJECT_SHARE = 0.7;

/** Bytes that objects of all servers may take of a heap that may have `heapBytes`. */
export function memoryForObjects(heapBytes: number): number {
  return Math.max(0, heapBytes - BASE_HEAP_BYTES) * OBJECT_SHARE;
}

/** The limits of a server; what the configuration leaves open follows from the size that the heap may have. */
export function answerLimits(
  { maxObjects, maxTextSize, ...limits }: ServerSettings["limits"],
  heapBytes: number = getHeapStatistics().heap_size_limit,
): ApiLimits {
  const fitting = Math.floor(heapBytes / HEAP_BYTES_PER_OBJECT);
  const objects = maxObjects ?? Math.min(MAX_OBJECTS, Math.max(MIN_OBJECTS, fitting));
  return { ...limits, maxObjects: objects, maxTextSize: maxTextSize ?? objects * CHARACTERS_PER_OBJECT };
}

/** Characters that labels of the server's objects, and those of its channels, may have in all. */
export function maxLabelText({ limits }: Pick<ServerConfig, "limits">): number {
  return LABEL_COPIES * answerLimits(limits).maxTextSize;
}
