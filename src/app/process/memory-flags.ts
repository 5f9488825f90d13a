/** Polling makes much that lives for a second: Node.js would let the space for young objects grow to 128 MB. */
export const HEAP_FLAGS: readonly string[] = ["--max-semi-space-size=8"];

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
