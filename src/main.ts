#!/usr/bin/env node
import { runProgram } from "./commands/program.ts";

/** What a shell reports for programs that a closed pipe ends: 128 and SIGPIPE. */
const CLOSED_PIPE = 141;

process.stdout.on("error", (error) => {
  // `... | head` has seen enough, which is no fault.
  if ("code" in error && error.code === "EPIPE") process.exit(CLOSED_PIPE);
  throw error;
});
process.exitCode = await runProgram(process.argv.slice(2));
