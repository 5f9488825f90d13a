/** Polling makes much that lives for a second: Node.js would let the space for young objects grow to 128 MB. */
export const HEAP_FLAGS: readonly string[] = ["--max-semi-space-size=8"];

/**
 * Old objects are looked through when there are half as many again as last time; by itself V8 waits until there are up to
 * four times as many. It is set while the process runs (see `heap-growth.ts`).
 */
export const HEAP_GROWTH = "--heap-growing-percent=50";

/** Until the first page is there nearly all that is made stays: looking for what does not, takes time and finds nothing. */
export const LATE_GROWTH = "--heap-growing-percent=900";
/** As V8 does by itself. */
export const USUAL_GROWTH = "--heap-growing-percent=0";

/**
 * V8 notes which places of the program make objects that live long, and has these make old objects at once. All that a start makes
 * lives long: after it the same places make what lives for a second, and only a look through the whole heap frees it.
 */
export const NO_PRETENURING = "--no-allocation-site-pretenuring";
/** As V8 does by itself. */
export const PRETENURING = "--allocation-site-pretenuring";

/**
 * For the allocator of glibc, which else keeps what threads have freed, and learns from the first page that is freed to
 * cut the next one out of memory that it never returns. What zlib needs to deflate a block of a page is four times 64 kB: it stays
 * below the threshold, and within what may be free at the end. Mapped and returned for each block, it would take another half
 * of the time.
 */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "1048576",
};
