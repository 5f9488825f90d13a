import { parentPort, workerData } from "node:worker_threads";
import { fuzz } from "./engine.ts";
import type { FuzzTarget } from "./target.ts";
import type { FuzzOrder } from "./watched.ts";

/* So that a hang can be detected and ended. */

const { module, opener, argument, seed, inputs, first, cpuLimitMs, progress }: FuzzOrder = workerData;
const opened: Record<string, (given: unknown) => FuzzTarget | Promise<FuzzTarget>> = await import(module);
const open = opened[opener];
if (open === undefined) throw new Error(`${module} has no ${opener}`);
const target = await open(argument);
const begin = (number: number) => {
  Atomics.store(progress, 0, number + 1);
};
parentPort?.postMessage(await fuzz(target, { seed, inputs, first, cpuLimitMs, begin }));
