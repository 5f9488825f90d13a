import crypto from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import perfHooks from "node:perf_hooks";
import v8 from "node:v8";

const MEMORY = { rss: 100e6, heapTotal: 50e6, heapUsed: 40e6, external: 3e6, arrayBuffers: 1e6 };
const PROCESS_FILES: Readonly<Record<string, string>> = {
  "/proc/self/status": "VmSize:\t  1000000 kB\nVmRSS:\t  100000 kB\nVmData:\t  50000 kB\n",
  "/proc/self/limits": "Max open files            1024                 4096                 files\n",
  "/proc/self/stat": "1 (node) S",
};

/** Fixes randomness and everything a process sees of its machine and itself. */
export function fixMachine(): void {
  // The order of calls may change.
  Math.random = () => 0.5;
  let drawn = 0;
  const uuid = () => `00000000-0000-4000-8000-${(++drawn).toString(16).padStart(12, "0")}` as const;
  const fill = <View extends ArrayBufferView>(view: View): View => {
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength).fill(0x5a);
    return view;
  };
  const randomBytes = (size: number, callback?: (error: null, bytes: Buffer) => void) => {
    const bytes = fill(Buffer.alloc(size));
    if (callback === undefined) return bytes;
    process.nextTick(callback, null, bytes);
    return undefined;
  };
  replace(crypto, { randomUUID: uuid, randomBytes, randomFillSync: fill });
  replace(crypto.webcrypto, { randomUUID: uuid, getRandomValues: fill });
  replace(os, { hostname: () => "machine" });
  // Garbage collection does not change the output.
  replace(globalThis, { WeakRef: StrongRef });
  fixProcess();
  syncBuiltinESMExports();
}

class StrongRef<Target> {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  deref(): Target {
    return this.#target;
  }
}

function fixProcess(): void {
  const { readFileSync, readdirSync } = fs;
  process.memoryUsage = Object.assign(() => ({ ...MEMORY }), { rss: () => MEMORY.rss });
  process.cpuUsage = () => ({ user: 1e6, system: 1e5 });
  replace(process, {
    _getActiveHandles: () => [],
    _getActiveRequests: () => [],
    getActiveResourcesInfo: () => [],
  });
  const heap = v8.getHeapStatistics();
  v8.getHeapStatistics = () => ({ ...heap });
  v8.getHeapSpaceStatistics = () => [];
  replace(fs, {
    readFileSync: (...args: Parameters<typeof readFileSync>) =>
      PROCESS_FILES[String(args[0])] ?? Reflect.apply(readFileSync, fs, args),
    readdirSync: (...args: Parameters<typeof readdirSync>) =>
      String(args[0]).startsWith("/proc/self/") ? [] : Reflect.apply(readdirSync, fs, args),
  });
  replace(fs.promises, { statfs: async () => ({ bavail: 10e6, bsize: 4096 }) });
  // Waiting for the conductor is not busy.
  replace(performance, { eventLoopUtilization: () => ({ idle: 1, active: 0, utilization: 0 }) });
  const delays = { min: 0, max: 0, mean: 0, stddev: 0, exceeds: 0 };
  replace(perfHooks, {
    monitorEventLoopDelay: () => ({ ...delays, enable() {}, disable() {}, reset() {}, percentile: () => 0 }),
    PerformanceObserver: class {
      observe(): void {}
      disconnect(): void {}
    },
  });
}

/** Assignment cannot replace getters. */
function replace(owner: object, members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: true });
  }
}
