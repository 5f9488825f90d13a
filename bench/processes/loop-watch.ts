import { createHistogram, monitorEventLoopDelay, type RecordableHistogram } from "node:perf_hooks";

/** How long turns of an event loop took, milliseconds. */
export interface LoopTurns {
  /** By the clock: includes the time that the machine gave to others. */
  readonly longestMs: number;
  readonly p99Ms: number;
  /** Processor time of the main thread: without what other processes took meanwhile. */
  readonly longestOwnMs: number;
  readonly p99OwnMs: number;
}

const RESOLUTION_MS = 1;
const NANOSECONDS = 1e6;
const MICROSECONDS = 1e3;

/**
 * Watches an event loop from within. A timer that is due every millisecond finds out how long others kept it waiting:
 * by the clock, as Node's own monitor does, and in processor time of this thread, because on a busy machine the clock
 * mostly tells when the scheduler was elsewhere.
 */
export class LoopWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #own: RecordableHistogram = createHistogram();
  #timer: NodeJS.Timeout | undefined;

  /** Begins anew. */
  start(): void {
    clearInterval(this.#timer);
    this.#own = createHistogram();
    this.#delays.reset();
    this.#delays.enable();
    let last = ownTime();
    this.#timer = setInterval(() => {
      const now = ownTime();
      this.#own.record(Math.max(1, now - last));
      last = now;
    }, RESOLUTION_MS);
    this.#timer.unref();
  }

  stop(): LoopTurns {
    clearInterval(this.#timer);
    this.#delays.disable();
    const delay = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS);
    return {
      longestMs: delay(this.#delays.max),
      p99Ms: delay(this.#delays.percentile(99)),
      longestOwnMs: this.#own.max / MICROSECONDS,
      p99OwnMs: this.#own.percentile(99) / MICROSECONDS,
    };
  }
}

/** Processor time of this thread, microseconds. */
function ownTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
