/**
 * Polling 200,000 channels makes much that lives for a second. Node.js would let the space for young objects grow
 * to 128 MB, and look through the old ones when there are about twice as many as last time.
 */
export const HEAP_FLAGS: readonly string[] = ["--max-semi-space-size=8", "--heap-growing-percent=50"];

/**
 * For the allocator of glibc, which else keeps what threads have freed, and learns from the first page that is freed to
 * cut the next one out of memory that it never returns.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "65536" };
