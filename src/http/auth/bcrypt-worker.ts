import { parentPort } from "node:worker_threads";
import bcrypt from "bcryptjs";

export interface Comparison {
  readonly password: string;
  readonly hash: string;
}

// bcrypt is slow on purpose and must not delay scrapes.
parentPort?.on("message", ({ password, hash }: Comparison) => {
  parentPort?.postMessage(bcrypt.compareSync(password, hash));
});
