import { Worker } from "node:worker_threads";
import type { FuzzReport } from "./engine.ts";
import type { TargetName } from "./target.ts";

export interface WatchedOptions {
  readonly seed: number;
  readonly inputs: number;
  readonly first?: number;
  readonly cpuLimitMs?: number;
  /** Wall clock, for a busy machine. */
  readonly hangMs?: number;
  /** For tests of this file. */
  readonly source?: TargetSource;
}

/** Function that makes a target. */
interface TargetSource {
  /** URL. */
  readonly module: string;
  readonly opener: string;
}

export interface FuzzOrder extends TargetSource {
  readonly argument: string;
  readonly seed: number;
  readonly inputs: number;
  readonly first: number;
  readonly cpuLimitMs: number;
  /** Current input plus one, 0 before the first. */
  readonly progress: Int32Array;
}

const TARGETS: TargetSource = { module: new URL("./open-target.ts", import.meta.url).href, opener: "openTarget" };

/** A hang ends the run as a violation. */
export async function fuzzWatched(target: TargetName | string, options: WatchedOptions): Promise<FuzzReport> {
  const { seed, inputs, first = 0, cpuLimitMs = 1_000, hangMs = 60_000, source = TARGETS } = options;
  const progress = new Int32Array(new SharedArrayBuffer(4));
  const order: FuzzOrder = { ...source, argument: target, seed, inputs, first, cpuLimitMs, progress };
  const worker = new Worker(new URL("./fuzz-worker.ts", import.meta.url), { workerData: order, stderr: true });
  const { promise, resolve, reject } = Promise.withResolvers<FuzzReport>();
  const aborted = (what: string): FuzzReport => {
    const number = Atomics.load(progress, 0) - 1;
    const violation = { target, seed, number: number < 0 ? undefined : number, what, input: undefined };
    const done = Math.max(0, number - first);
    return { target, inputs: done, violations: [violation], slowestMs: 0, slowest: number, heapGrowth: 0 };
  };
  let seen = -1;
  const watch = setInterval(() => {
    const now = Atomics.load(progress, 0);
    if (now === seen) resolve(aborted(`no end after ${hangMs} ms`));
    seen = now;
  }, hangMs);
  worker.on("message", (report: FuzzReport) => resolve(report));
  worker.on("error", (error) => {
    if (Atomics.load(progress, 0) === 0) reject(error);
    else resolve(aborted(`the thread died: ${error.message}`));
  });
  try {
    return await promise;
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}
