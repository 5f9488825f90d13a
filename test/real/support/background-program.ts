import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

export interface BackgroundOptions {
  readonly cwd?: string;
  /** Besides our own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs in a process group of its own, which `stop` and `interrupt` then reach as a whole. */
  readonly ownGroup?: boolean;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface BackgroundProgram {
  readonly pid: number;
  /** Resolves when it has ended and its output is complete. */
  readonly ended: Promise<Ending>;
  /** Its standard output and error so far. */
  log(): string;
  waitForLog(pattern: RegExp, limitMs: number): Promise<RegExpExecArray>;
  throwIfEnded(): void;
  /** What Ctrl-C does in a terminal. */
  interrupt(): void;
  /** Asks it to end, and ends it when it does not. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

const STOP_LIMIT_MS = 60_000;
const OUTPUT_LIMIT_MS = 2_000;

export function startInBackground(
  binary: string,
  args: readonly string[],
  { cwd, env, ownGroup = false }: BackgroundOptions = {},
): BackgroundProgram {
  const child = spawn(binary, args, {
    stdio: ["ignore", "pipe", "pipe"],
    cwd,
    env: { ...process.env, ...env },
    detached: ownGroup,
  });
  const pid = child.pid ?? 0;
  let text = "";
  let startError: Error | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  }
  child.on("error", (error) => {
    startError = error;
  });
  // A test run that dies must not leave the program behind.
  const kill = (signal: NodeJS.Signals) => (ownGroup && pid > 0 ? process.kill(-pid, signal) : child.kill(signal));
  const killAtExit = () => kill("SIGKILL");
  process.once("exit", killAtExit);
  const ended = new Promise<Ending>((resolve) => {
    child.once("close", (code, signal) => {
      process.off("exit", killAtExit);
      resolve({ code, signal });
    });
  });

  const hasEnded = () => startError !== undefined || child.exitCode !== null || child.signalCode !== null;

  /** What it said last comes after the news of its end. A child that it left behind may keep its output open. */
  const outputEnds = () => Promise.race([ended, sleep(OUTPUT_LIMIT_MS)]);

  const throwIfEnded = () => {
    if (startError !== undefined) throw startError;
    if (hasEnded()) throw new Error(`${binary} ended with ${child.signalCode ?? `code ${child.exitCode}`}`);
  };

  return {
    pid,
    ended,
    log: () => text,
    throwIfEnded,
    interrupt: () => void kill("SIGINT"),
    async waitForLog(pattern, limitMs) {
      const deadline = Date.now() + limitMs;
      for (;;) {
        if (hasEnded()) await outputEnds();
        const found = pattern.exec(text);
        if (found !== null) return found;
        throwIfEnded();
        if (Date.now() > deadline) throw new Error(`${binary} logged no ${pattern} within ${limitMs} ms`);
        await sleep(20);
      }
    },
    async stop(signal = "SIGTERM") {
      if (hasEnded()) {
        await outputEnds();
        return;
      }
      kill(signal);
      const impatience = setTimeout(() => kill("SIGKILL"), STOP_LIMIT_MS);
      await ended;
      clearTimeout(impatience);
    },
  };
}
