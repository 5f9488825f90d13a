import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Comparison } from "./bcrypt-worker.ts";

/** `.ts` in the source, `.js` in the build. */
const WORKER = new URL(`./bcrypt-worker${extname(import.meta.url)}`, import.meta.url);
/** Results are cached, so the thread is seldom needed again. */
const IDLE_MS = 10_000;

/** Compares passwords with bcrypt hashes in a worker thread. Ends the thread when it is idle. */
export class BcryptThread {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  #isComparing = false;

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  /** Call it one at a time. Rejects if the thread fails, if `close` is called, and during another comparison. */
  async compare(comparison: Comparison): Promise<boolean> {
    if (this.#closed) throw new Error("the web server is closed");
    // Both would take the same answer.
    if (this.#isComparing) throw new Error("the thread compares another password");
    this.#isComparing = true;
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
      this.#isComparing = false;
      for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
      // Without a listener, an error ends the process.
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
