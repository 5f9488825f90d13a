import { type Case, leavesNoProcess, leavesNoProcessEarly, OLD, PAIRS } from "./support/simulator-process.ts";

const OLDEST_SUPPORTED = PAIRS.slice(1, 2);

/** Each way to start it once, and the launcher of an old Node.js. All other cases run at night. */
const CASES: readonly Case[] = [
  ...OLD.map((pair) => ({ pair, way: "command", end: "SIGKILL" }) as const),
  ...OLDEST_SUPPORTED.flatMap((pair) => [
    { pair, way: "npx", end: "SIGTERM" } as const,
    { pair, way: "command", end: "end of input" } as const,
    { pair, way: "library", end: "SIGKILL" } as const,
  ]),
];

leavesNoProcess("simulator", CASES);
leavesNoProcessEarly("simulator that starts", [
  ...OLD.map((pair) => ({ pair, way: "command", end: "SIGKILL" }) as const),
  ...OLDEST_SUPPORTED.map((pair) => ({ pair, way: "npx", end: "SIGKILL" }) as const),
]);
