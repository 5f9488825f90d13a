/**
 * Whoever polls 200,000 channels makes much that lives for a second. Node.js would let the space for young objects grow
 * to 128 MB, and look through the old ones when there are about twice as many as last time.
 */
export const HEAP_FLAGS: readonly string[] = ["--max-semi-space-size=8", "--heap-growing-percent=50"];

/**
 * For the allocator of glibc, which else keeps what threads have freed, and learns from the first page that is freed to
 * cut the next one out of memory that it never returns.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "65536" };

/** Commands that stay for long. */
const DAEMONS: readonly string[] = ["serve", "demo"];

/**
 * Has Node.js keep memory small when a daemon is about to run. The spaces have their sizes from the beginning of the
 * process, so the process begins once more, as what it is: same id, same output. Returns where that is not needed, not
 * possible (Windows, a parent that talks to its child) or not wanted, because NODE_OPTIONS or the command line set it.
 */
export function keepMemorySmall(): void {
  const command = process.argv.slice(2).find((argument) => !argument.startsWith("-"));
  if (command === undefined || !DAEMONS.includes(command)) return;
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ").replaceAll("_", "-");
  if (
    /-semi-space-size|-heap-growing-percent/.test(given) ||
    process.execve === undefined ||
    process.send !== undefined
  )
    return;
  if (process.platform === "win32") return;
  const args = [process.execPath, ...HEAP_FLAGS, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...ALLOCATOR, ...process.env });
}
