import { availableParallelism } from "node:os";
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { Load } from "./pressure.ts";

/** Period of the timer by which delays are measured, milliseconds: to wake an idle process takes time, and what counts as late is more. */
const RESOLUTION_MS = 50;
const NANOSECONDS = 1e6;

/** Tells how busy the process was since it was asked before. */
export interface LoadMeter {
  read(): Load;
  close(): void;
}

/** Measures this process. What else takes its processors, or a quota that holds it up, shows as a loop that is busy or late. */
export function openLoadMeter(): LoadMeter {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let loop = performance.eventLoopUtilization();
  let processor = process.cpuUsage();
  let readAt = performance.now();
  const busySince = (before: EventLoopUtilization) => performance.eventLoopUtilization(loop, before).utilization;
  return {
    read() {
      const [loopBefore, processorBefore, before] = [loop, processor, readAt];
      loop = performance.eventLoopUtilization();
      processor = process.cpuUsage();
      readAt = performance.now();
      const usedMs = (processor.user + processor.system - processorBefore.user - processorBefore.system) / 1_000;
      const { used_heap_size, heap_size_limit } = getHeapStatistics();
      const late = delays.count === 0 ? 0 : delays.percentile(90) / NANOSECONDS - RESOLUTION_MS;
      delays.reset();
      return {
        loop: busySince(loopBefore),
        processor: usedMs / Math.max(1, readAt - before) / availableParallelism(),
        heap: used_heap_size / heap_size_limit,
        delayMs: Math.max(0, late),
      };
    },
    close: () => void delays.disable(),
  };
}
