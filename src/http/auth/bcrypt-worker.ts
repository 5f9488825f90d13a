import { parentPort } from "node:worker_threads";
import bcrypt from "bcryptjs";

/** What the thread is asked. */
export interface BcryptQuestion {
  readonly password: string;
  readonly hash: string;
}

// A thread of its own: bcrypt is made to be slow, and scrapes must not wait for it.
parentPort?.on("message", ({ password, hash }: BcryptQuestion) => {
  parentPort?.postMessage(bcrypt.compareSync(password, hash));
});
