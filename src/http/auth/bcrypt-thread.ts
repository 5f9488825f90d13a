import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import type { Comparison } from "./bcrypt-worker.ts";

/** .ts from the source, .js from the build. */
const WORKER = new URL(`./bcrypt-worker${extname(import.meta.url)}`, import.meta.url);
/** Results are cached: the thread is seldom needed twice. */
const IDLE_MS = 10_000;

/** Compares with bcrypt hashes, one at a time, in a thread that lives as long as its work. */
export class BcryptThread {
  #worker: Worker | undefined;
  readonly #oneAtATime = pLimit(1);
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  /** Rejects when the thread fails, and on `close`. */
  compare(comparison: Comparison): Promise<boolean> {
    return this.#oneAtATime(() => this.#ask(comparison));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  async #ask(comparison: Comparison): Promise<boolean> {
    if (this.#closed) throw new Error("the web server is closed");
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    try {
      return await new Promise<boolean>((resolve, reject) => {
        worker.once("message", (matches) => resolve(matches === true));
        worker.once("error", reject);
        worker.once("exit", () => reject(new Error("the thread that checks passwords has ended")));
        worker.postMessage(comparison);
      });
    } finally {
      for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
      // Without a listener an error ends the process.
      worker.on("error", () => undefined);
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
      if (this.#worker === worker && worker.threadId === -1) this.#worker = undefined;
    }
  }

  #start(): Worker {
    const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: 32 }, env: {}, stdin: false });
    worker.unref();
    return worker;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
