import { ALLOCATOR, HEAP_FLAGS } from "./memory-flags.ts";

/**
 * Without it SIGUSR1, which some daemons take for "open the log again", has Node.js open its debugger to every user of this
 * machine: code and memory, with the keys.
 */
export const NO_DEBUGGER = "--disable-sigusr1";

/**
 * Threads of libuv, for files, compression and names. A name server that does not answer holds a thread for some 10 s for each
 * name, and names may take half of the threads: of the 4 that there would be, two. One that waits takes a few kilobytes.
 */
export const THREADS = { UV_THREADPOOL_SIZE: "64" };

/** Commands that stay for long. */
const DAEMONS: readonly string[] = ["serve", "demo"];

/**
 * Has Node.js keep memory small, and no signal open the debugger, when a daemon is about to run. The space for young objects has its size
 * from the beginning of the process, so the process begins once more, as what it is: same id, same output. What
 * NODE_OPTIONS or the command line set is left as it is. Returns where nothing is missing, or it is not possible
 * (Windows, a parent that talks to its child).
 */
export function beginWithFlags(): void {
  const command = process.argv.slice(2).find((argument) => !argument.startsWith("-"));
  if (command === undefined || !DAEMONS.includes(command)) return;
  if (process.execve === undefined || process.send !== undefined || process.platform === "win32") return;
  const missing = missingFlags(process.execArgv);
  if (missing.length === 0) return;
  const args = [process.execPath, ...missing, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...ALLOCATOR, ...THREADS, ...process.env });
}

/** Whether the command line, except for our own flags, or NODE_OPTIONS sets the size of the young space. */
function choosesHeap(): boolean {
  const given = allFlags(process.execArgv.filter((flag) => !HEAP_FLAGS.includes(flag)));
  return /-semi-space-size/.test(given);
}

function missingFlags(given: readonly string[]): readonly string[] {
  const isHeapSet = choosesHeap() || HEAP_FLAGS.every((flag) => given.includes(flag));
  return [...(isHeapSet ? [] : HEAP_FLAGS), ...(allFlags(given).includes(NO_DEBUGGER) ? [] : [NO_DEBUGGER])];
}

/** Of the command line and of NODE_OPTIONS, spelled in one way. */
function allFlags(given: readonly string[]): string {
  return [...given, process.env.NODE_OPTIONS ?? ""].join(" ").replaceAll("_", "-");
}

/**
 * Diagnostic reports, which Node.js writes where it is asked to (at a fatal error, or a signal), without the environment,
 * where keys may be, and without looking up a name for each address, which would stop everything until it is answered.
 */
export function keepReportsPrivate(): void {
  // The types do not know the second one yet.
  Object.assign(process.report, { excludeEnv: true, excludeNetwork: true });
}
