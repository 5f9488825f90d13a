#!/usr/bin/env node
import { endProcess, threadsHang } from "./app/process/end-process.ts";
import { stopWithLauncher } from "./app/process/launched.ts";
import { keepReportsPrivate } from "./app/process/private-reports.ts";
import { endOnStopSignals } from "./cli/signals.ts";

/** What a shell reports for programs that a closed pipe ends: 128 and SIGPIPE. */
const CLOSED_PIPE = 141;

keepReportsPrivate();
// Before the rest is even loaded: the first process of a container does not die of a signal that it does not handle.
endOnStopSignals();
stopWithLauncher();
process.stdout.on("error", (error) => {
  // `... | head` has seen enough, which is no fault.
  if ("code" in error && error.code === "EPIPE") process.exit(CLOSED_PIPE);
  throw error;
});
// Without an await at the top, which the bundle, being CommonJS, may not have.
void import("./cli/program.ts").then(async ({ runProgram }) => {
  process.exitCode = await runProgram(process.argv.slice(2));
  if (threadsHang()) endProcess(process.exitCode);
});
