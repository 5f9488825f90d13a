import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 100;

/** Runs steps, prints each with its time, and ends with the first that fails. */
export class Steps {
  readonly #write: (text: string) => void;
  readonly #now: () => number;
  readonly #started: number;

  constructor(write: (text: string) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
    this.#started = now();
    write("    seconds  step\n");
  }

  async run<T>(name: string, work: () => Promise<T> | T): Promise<T> {
    const from = this.#now();
    try {
      const result = await work();
      this.#line("ok", this.#now() - from, name);
      return result;
    } catch (error) {
      this.#line("FAILED", this.#now() - from, name);
      throw error;
    }
  }

  /** All steps passed. @param notes why parts were not rehearsed */
  end(notes: readonly string[]): void {
    this.#line("ok", this.#now() - this.#started, "all");
    this.#write(`\nNot rehearsed:\n${notes.map((note) => `- ${note}\n`).join("")}`);
  }

  #line(result: string, ms: number, name: string): void {
    this.#write(`${result.padEnd(6)} ${(ms / 1_000).toFixed(1).padStart(4)}  ${name}\n`);
  }
}

/** Repeats until it succeeds. @throws Error of the last attempt */
export async function until<T>(limitMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(POLL_MS);
    }
  }
}
