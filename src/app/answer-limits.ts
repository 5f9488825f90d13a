import { getHeapStatistics } from "node:v8";
import type { ServerSettings } from "../config/schema.ts";
import type { ApiLimits } from "../prtg/options.ts";

/** Of the heap, for each object of the longest list: enough for a list that is read while the one before is shown. */
const HEAP_BYTES_PER_OBJECT = 1024;
const MIN_OBJECTS = 10_000;
const MAX_OBJECTS = 1_000_000;
/** Seen: about 20 for a channel, 60 for a sensor with its tags. */
const CHARACTERS_PER_OBJECT = 64;

/** A text of the server may be in so many labels, on average: that of a device is in those of its sensors. */
export const LABEL_COPIES = 4;

/** The limits of a server; what the configuration leaves open follows from the size that the heap may have. */
export function answerLimits(
  { maxObjects, maxTextSize, ...limits }: ServerSettings["limits"],
  heapBytes: number = getHeapStatistics().heap_size_limit,
): ApiLimits {
  const fitting = Math.floor(heapBytes / HEAP_BYTES_PER_OBJECT);
  const objects = maxObjects ?? Math.min(MAX_OBJECTS, Math.max(MIN_OBJECTS, fitting));
  return { ...limits, maxObjects: objects, maxTextSize: maxTextSize ?? objects * CHARACTERS_PER_OBJECT };
}
