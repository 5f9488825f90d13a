import { getHeapStatistics } from "node:v8";
import type { ServerConfig } from "../config/resolve.ts";
import type { ServerSettings } from "../config/schema.ts";
import type { ApiLimits } from "../prtg/options.ts";

/** For each object of the longest list, which is read while the one before is served. */
const HEAP_BYTES_PER_OBJECT = 1024;
const MIN_OBJECTS = 10_000;
const MAX_OBJECTS = 1_000_000;
/** Seen: about 20 for a channel, 60 for a sensor with its tags. */
const CHARACTERS_PER_OBJECT = 64;

/** Average number of labels with one text: that of a device is in those of its sensors. */
const LABEL_COPIES = 4;

/** Code and everything else that does not grow with servers. */
const BASE_HEAP_BYTES = 32 * 2 ** 20;
/** Share of the rest that objects may take. V8 needs room for garbage, and ends the process without it. */
const OBJECT_SHARE = 0.7;

/** Bytes for the objects of all servers. */
export function memoryForObjects(heapBytes: number): number {
  return Math.max(0, heapBytes - BASE_HEAP_BYTES) * OBJECT_SHARE;
}

/** Limits without a value in the configuration follow from the size of the heap. */
export function answerLimits(
  { maxObjects, maxTextSize, ...limits }: ServerSettings["limits"],
  heapBytes: number = getHeapStatistics().heap_size_limit,
): ApiLimits {
  const fitting = Math.floor(heapBytes / HEAP_BYTES_PER_OBJECT);
  const objects = maxObjects ?? Math.min(MAX_OBJECTS, Math.max(MIN_OBJECTS, fitting));
  return { ...limits, maxObjects: objects, maxTextSize: maxTextSize ?? objects * CHARACTERS_PER_OBJECT };
}

/** Characters of all labels of the server's objects and channels. */
export function maxLabelText({ limits }: Pick<ServerConfig, "limits">): number {
  return LABEL_COPIES * answerLimits(limits).maxTextSize;
}
