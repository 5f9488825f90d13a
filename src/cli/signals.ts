import { constants } from "node:os";
import { endProcess } from "../app/process/end-process.ts";
import { systemClock } from "../lib/clock.ts";

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Under `npm start` some shells let Ctrl-C come twice: from the terminal, and passed on by npm. */
const SAME_REQUEST_MS = 500;

/** What a signal does now. The listener itself stays: a signal that waits for its turn is lost when that is exchanged. */
let onStopSignal: ((signal: NodeJS.Signals) => void) | undefined;

function takeStopSignals(take: (signal: NodeJS.Signals) => void): void {
  if (onStopSignal === undefined) {
    for (const signal of STOP_SIGNALS) process.on(signal, () => onStopSignal?.(signal));
  }
  onStopSignal = take;
}

/** Ends the process at the first SIGTERM or SIGINT, until a command takes them: there is nothing to clean up before. */
export function endOnStopSignals(): void {
  takeStopSignals((signal) => endProcess(exitCodeOf(signal)));
}

/** Resolves at the first SIGTERM or SIGINT. A later one ends the process at once, with the shell's exit code for it. */
export function untilStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    takeStopSignals((signal) => {
      firstAt ??= systemClock.monotonic();
      if (systemClock.monotonic() - firstAt > SAME_REQUEST_MS) endProcess(exitCodeOf(signal));
      resolve(signal);
    });
  });
}

/**
 * Takes SIGHUP from now on, which would end the process otherwise. One that comes before `follow` is kept: the
 * configuration may have been read before it.
 */
export function reloadSignals(): { follow(reload: () => void): void } {
  let waiting = false;
  let listener = (): void => {
    waiting = true;
  };
  process.on("SIGHUP", () => listener());
  return {
    follow(reload) {
      listener = reload;
      if (waiting) reload();
    },
  };
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
