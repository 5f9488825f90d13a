/** Preloaded to read memory, processor time and loop delays of an unchanged program. */
import { answerCommands } from "./answer.ts";
import { LoopWatch } from "./loop-watch.ts";

export interface ProcessorTime {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export interface Memory {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly externalBytes: number;
}

const loop = new LoopWatch();

answerCommands({
  processorTime: (): ProcessorTime => {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1_000, wallMs: performance.now() };
  },
  memory,
  /** A leak would show here. */
  leanMemory: () => {
    globalThis.gc?.();
    return memory();
  },
  watchLoop: () => loop.start(),
  loopTurns: () => loop.stop(),
});

function memory(): Memory {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { residentBytes: rss, heapBytes: heapUsed, externalBytes: external };
}
