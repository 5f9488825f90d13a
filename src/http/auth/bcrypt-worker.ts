import { parentPort } from "node:worker_threads";
import bcrypt from "bcryptjs";

/** What the thread is to compare. */
export interface Comparison {
  readonly password: string;
  readonly hash: string;
}

// A thread of its own: bcrypt is made to be slow, and scrapes must not wait for it.
parentPort?.on("message", ({ password, hash }: Comparison) => {
  parentPort?.postMessage(bcrypt.compareSync(password, hash));
});
