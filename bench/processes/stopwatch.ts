import type { ProcessorTime } from "./probe.ts";

/** All threads of this process. */
export class Stopwatch {
  #cpu = process.cpuUsage();
  #wall = performance.now();
  #reading: ProcessorTime = { cpuMs: Number.NaN, wallMs: Number.NaN };

  start(): void {
    this.#cpu = process.cpuUsage();
    this.#wall = performance.now();
  }

  stop(): void {
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#reading = { cpuMs: (user + system) / 1_000, wallMs: performance.now() - this.#wall };
  }

  get reading(): ProcessorTime {
    return this.#reading;
  }

  async time(work: () => Promise<unknown>): Promise<ProcessorTime> {
    this.start();
    await work();
    this.stop();
    return this.#reading;
  }
}
