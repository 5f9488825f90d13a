import { createHistogram, monitorEventLoopDelay, type RecordableHistogram } from "node:perf_hooks";

export interface LoopTurns {
  /** Wall clock, includes other processes. */
  readonly longestMs: number;
  readonly p99Ms: number;
  /** Processor time of the main thread. */
  readonly longestOwnMs: number;
  readonly p99OwnMs: number;
}

const RESOLUTION_MS = 1;
const NANOSECONDS = 1e6;
const MICROSECONDS = 1e3;

/** Delay of a 1 ms timer. On a busy machine, the wall clock shows the scheduler. */
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
