import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

interface BackgroundOptions {
  readonly cwd?: string;
  /** Added to our own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Own process group, which `stop` and `interrupt` reach completely. */
  readonly ownGroup?: boolean;
}

interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface BackgroundProgram {
  readonly pid: number;
  /** Resolves with complete output. */
  readonly ended: Promise<Ending>;
  /** Standard output and error so far. */
  log(): string;
  waitForLog(pattern: RegExp, limitMs: number): Promise<RegExpExecArray>;
  throwIfEnded(): void;
  /** Like Ctrl-C in a terminal. */
  interrupt(): void;
  /** Kills it if it does not end. */
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
  // Must not outlive a crashed test run.
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

  /** Output may follow the exit. A surviving child may keep the pipe open. */
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
