import { constants } from "node:os";
import { endProcess } from "../app/process/end-process.ts";
import { systemClock } from "../lib/clock.ts";

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Under `npm start` some shells deliver Ctrl-C twice: from the terminal, and by npm. */
const SAME_REQUEST_MS = 500;

/** The listener stays: exchanging it would lose a signal that waits. */
let onStopSignal: ((signal: NodeJS.Signals) => void) | undefined;

function takeStopSignals(take: (signal: NodeJS.Signals) => void): void {
  if (onStopSignal === undefined) {
    for (const signal of STOP_SIGNALS) process.on(signal, () => onStopSignal?.(signal));
  }
  onStopSignal = take;
}

/** At the first SIGTERM or SIGINT, until a command takes them. */
export function endOnStopSignals(): void {
  takeStopSignals((signal) => endProcess(exitCodeOf(signal)));
}

/** At the first SIGTERM or SIGINT. A later one ends the process at once, with the shell's exit code. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    takeStopSignals((signal) => {
      firstAt ??= systemClock.monotonic();
      if (systemClock.monotonic() - firstAt > SAME_REQUEST_MS) endProcess(exitCodeOf(signal));
      resolve(signal);
    });
  });
}

/** Takes SIGHUP, which would end the process. Keeps one that comes before `follow`: the configuration may be older. */
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
  /** The shell's; undefined before. */
  readonly exitCode: number | undefined;
}

export function interruption(): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  void stopSignal().then((signal) => {
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
