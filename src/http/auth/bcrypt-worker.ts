import { parentPort } from "node:worker_threads";
import bcrypt from "bcryptjs";

export interface Comparison {
  readonly password: string;
  readonly hash: string;
}

// bcrypt is slow on purpose: scrapes must not wait.
parentPort?.on("message", ({ password, hash }: Comparison) => {
  parentPort?.postMessage(bcrypt.compareSync(password, hash));
});
