import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { randomOf } from "./random.ts";
import { shrinkText } from "./shrink.ts";
import { BrokenPromise, type FuzzInput, type FuzzTarget } from "./target.ts";

interface FuzzOptions {
  readonly seed: number;
  readonly inputs: number;
  readonly first?: number;
  /** CPU time limit of an input. */
  readonly cpuLimitMs?: number;
  readonly begin?: (number: number) => void;
}

export interface FuzzViolation {
  readonly target: string;
  readonly seed: number;
  /** Reproduces it with the seed. Undefined: no input. */
  readonly number: number | undefined;
  readonly what: string;
  /** Shrunk if the failure repeats. */
  readonly input: FuzzInput | undefined;
}

export interface FuzzReport {
  readonly target: string;
  readonly inputs: number;
  readonly violations: readonly FuzzViolation[];
  /** Slowest input, CPU time. */
  readonly slowestMs: number;
  readonly slowest: number;
  /** Bytes of heap growth after the first tenth of the inputs. */
  readonly heapGrowth: number;
}

const CPU_LIMIT_MS = 1_000;
const MAX_VIOLATIONS = 20;
/** Compilation and caches. A long run exceeds it at 100 bytes per input. */
const MAX_GROWTH = 48 * 1024 * 1024;

/** In sequence. Only `watched.ts` detects hangs. */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, inputs, first = 0, cpuLimitMs = CPU_LIMIT_MS, begin } = options;
  const violations: FuzzViolation[] = [];
  const found = (what: string, number?: number, input?: FuzzInput) => {
    violations.push({ target: target.name, seed, number, what, input });
  };
  let current = first;
  const stray = (reason: unknown) => found(`a rejection that nobody handled: ${describeFault(reason)}`, current);
  process.on("unhandledRejection", stray);
  // Libraries may quote input past redactors.
  const spoken = (warning: Error) => found(`a warning of the process: ${warning.message}`, current);
  process.on("warning", spoken);
  const collect = garbageCollector();
  let slowestMs = 0;
  let slowest = first;
  let heapBefore: number | undefined;
  try {
    for (; current < first + inputs && violations.length < MAX_VIOLATIONS; current++) {
      begin?.(current);
      const input = target.draw(randomOf(seed, current));
      const started = process.threadCpuUsage();
      const fault = await faultOf(target, input);
      const { user, system } = process.threadCpuUsage(started);
      const cpuMs = (user + system) / 1_000;
      if (cpuMs > slowestMs) {
        slowestMs = cpuMs;
        slowest = current;
      }
      if (fault !== undefined) found(fault, current, await shrunk(target, input, fault));
      else if (cpuMs > cpuLimitMs) found(`${Math.round(cpuMs)} ms of CPU for one input`, current, input);
      if (heapBefore === undefined && current - first >= inputs / 10) heapBefore = heapAfter(collect);
      // Node.js reports rejections between event-loop turns.
      if (current % 256 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off("unhandledRejection", stray);
    process.off("warning", spoken);
  }
  const heapGrowth = heapBefore === undefined ? 0 : heapAfter(collect) - heapBefore;
  if (heapGrowth > MAX_GROWTH) found(`the heap grew by ${Math.round(heapGrowth / 2 ** 20)} MiB`);
  return { target: target.name, inputs: current - first, violations, slowestMs, slowest, heapGrowth };
}

async function faultOf(target: FuzzTarget, input: FuzzInput): Promise<string | undefined> {
  try {
    await target.run(input);
    return undefined;
  } catch (error) {
    return describeFault(error);
  }
}

/** Kind and place. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${typeof error}`;
  if (error instanceof BrokenPromise) return `broken promise: ${error.message}`;
  const place = /\bat .*?((?:src|test)\/[^)\s]+)/.exec(error.stack ?? "")?.[1] ?? "an unknown place";
  return `${error.name} at ${place}`;
}

async function shrunk(target: FuzzTarget, { variant, text }: FuzzInput, fault: string): Promise<FuzzInput> {
  const fails = async (candidate: string) => (await faultOf(target, { variant, text: candidate })) === fault;
  return { variant, text: await shrinkText(text, fails) };
}

function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  return () => void (typeof collect === "function" && collect());
}

function heapAfter(collect: () => void): number {
  collect();
  return getHeapStatistics().used_heap_size;
}
