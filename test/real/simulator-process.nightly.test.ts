import {
  type Case,
  type End,
  leavesNoProcess,
  leavesNoProcessEarly,
  OLD,
  PAIRS,
  type Way,
} from "./support/simulator-process.ts";

const ENDS: readonly End[] = ["SIGTERM", "SIGINT", "SIGKILL", "end of input"];

const CASES: readonly Case[] = PAIRS.flatMap((pair) => {
  // The library is no process of its own, and needs a supported Node.js.
  const ways: readonly Way[] = OLD.includes(pair) ? ["npx", "command"] : ["npx", "command", "library"];
  return ways.flatMap((way) => {
    const ends = way === "library" ? ENDS.filter((end) => end !== "end of input") : ENDS;
    return ends.map((end) => ({ pair, way, end }));
  });
});

leavesNoProcess("simulator in every way", CASES);

leavesNoProcessEarly(
  "simulator that starts, on every Node.js",
  PAIRS.flatMap((pair) => (["SIGTERM", "SIGKILL"] as const).map((end) => ({ pair, way: "npx" as const, end }))),
);
