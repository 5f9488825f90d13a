import { createHistogram, monitorEventLoopDelay, type RecordableHistogram } from "node:perf_hooks";

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

/** Measures the delay of a timer of 1 ms by the clock and in processor time: on a busy machine the clock shows the scheduler. */
export class LoopWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #own: RecordableHistogram = createHistogram();
  #timer: NodeJS.Timeout | undefined;

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

function ownTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
