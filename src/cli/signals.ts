import { constants } from "node:os";
import { endProcess } from "../app/process/end-process.ts";
import { systemClock } from "../lib/clock.ts";

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Under `npm start`, some shells deliver Ctrl-C twice: from the terminal and from npm. */
const SAME_REQUEST_MS = 500;

/** The listener stays installed: replacing it could lose a signal. */
let onStopSignal: ((signal: NodeJS.Signals) => void) | undefined;

function takeStopSignals(take: (signal: NodeJS.Signals) => void): void {
  if (onStopSignal === undefined) {
    for (const signal of STOP_SIGNALS) process.on(signal, () => onStopSignal?.(signal));
  }
  onStopSignal = take;
}

/** Ends the process at the first SIGTERM or SIGINT, unless a command handles them. */
export function endOnStopSignals(): void {
  takeStopSignals((signal) => endProcess(exitCodeOf(signal)));
}

/** Resolves at the first SIGTERM or SIGINT. The next one ends the process with the shell's exit code. */
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

/** Keeps a SIGHUP that arrives before `follow`, because the configuration may have changed. */
export function reloadSignals(): { follow(reload: () => void): void } {
  let isPending = false;
  let listener = (): void => {
    isPending = true;
  };
  process.on("SIGHUP", () => listener());
  return {
    follow(reload) {
      listener = reload;
      if (isPending) reload();
    },
  };
}

export interface Interruption {
  /** Aborts at the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** `undefined` before a signal. */
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
