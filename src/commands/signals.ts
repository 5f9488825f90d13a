import { constants } from "node:os";
import { systemClock } from "../clock.ts";

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Under `npm start` some shells let Ctrl-C come twice: from the terminal, and passed on by npm. */
const SAME_REQUEST_MS = 500;

/** Resolves at the first SIGTERM or SIGINT. A later one ends the process at once, with the shell's exit code for it. */
export function untilStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of STOP_SIGNALS) {
      process.on(signal, () => {
        firstAt ??= systemClock.monotonic();
        if (systemClock.monotonic() - firstAt > SAME_REQUEST_MS) process.exit(exitCodeOf(signal));
        resolve(signal);
      });
    }
  });
}

/** For commands that end by themselves. */
export interface Interruption {
  /** Aborts at the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** The shell's exit code for that; undefined before. */
  readonly exitCode: number | undefined;
}

export function interruption(): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  void untilStopSignal().then((signal) => {
    exitCode = exitCodeOf(signal);
    controller.abort(new Error(`stopped by ${signal}`));
  });
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
  };
}

function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
