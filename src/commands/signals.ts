import { constants } from "node:os";

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Resolves at the first SIGTERM or SIGINT. A second one ends the process at once, with the shell's exit code for it. */
export function untilStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let stopping = false;
    for (const signal of STOP_SIGNALS) {
      process.on(signal, () => {
        if (stopping) process.exit(128 + constants.signals[signal]);
        stopping = true;
        resolve(signal);
      });
    }
  });
}
