#!/usr/bin/env node
import { stopWithLauncher } from "prtg-simulator/src/command/launched.ts";
import { endProcess, threadsHang } from "./app/process/end-process.ts";
import { endOnStopSignals } from "./cli/signals.ts";

/** As a shell: 128 and SIGPIPE. */
const CLOSED_PIPE = 141;

// Diagnostic reports of Node.js: no environment, which may hold keys, and no DNS names, which block the process.
// The types lack `excludeEnv`.
Object.assign(process.report, { excludeEnv: true, excludeNetwork: true });
// Before other modules load: the first process of a container ignores signals without a handler.
endOnStopSignals();
stopWithLauncher();
process.stdout.on("error", (error) => {
  // `... | head` closes the pipe.
  if ("code" in error && error.code === "EPIPE") process.exit(CLOSED_PIPE);
  throw error;
});
// The bundle is CommonJS, without `await` at the top.
void import("./cli/program.ts").then(async ({ runProgram }) => {
  process.exitCode = await runProgram(process.argv.slice(2));
  if (threadsHang()) endProcess(process.exitCode);
});
