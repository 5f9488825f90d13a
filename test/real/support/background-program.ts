import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export interface BackgroundProgram {
  /** Its standard output and error so far. */
  log(): string;
  waitForLog(pattern: RegExp, limitMs: number): Promise<RegExpExecArray>;
  throwIfEnded(): void;
  /** Asks it to end, and ends it when it does not. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

const STOP_LIMIT_MS = 15_000;

export function startInBackground(binary: string, args: readonly string[]): BackgroundProgram {
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
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
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);
  child.once("close", () => process.off("exit", killAtExit));

  const hasEnded = () => startError !== undefined || child.exitCode !== null || child.signalCode !== null;

  const throwIfEnded = () => {
    if (startError !== undefined) throw startError;
    if (hasEnded()) throw new Error(`${binary} ended with ${child.signalCode ?? `code ${child.exitCode}`}`);
  };

  return {
    log: () => text,
    throwIfEnded,
    async waitForLog(pattern, limitMs) {
      const deadline = Date.now() + limitMs;
      for (;;) {
        const found = pattern.exec(text);
        if (found !== null) return found;
        throwIfEnded();
        if (Date.now() > deadline) throw new Error(`${binary} logged no ${pattern} within ${limitMs} ms`);
        await sleep(20);
      }
    },
    async stop(signal = "SIGTERM") {
      if (hasEnded()) return;
      const closed = once(child, "close");
      child.kill(signal);
      const impatience = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
      await closed;
      clearTimeout(impatience);
    },
  };
}
