import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface FinishedCommand {
  /** 128 and more: ended by a signal, as a shell reports it; null: ended by a signal that it did not handle. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: Promise<FinishedCommand>;
  /** Resolves with the match as soon as what was written so far has it; rejects when the command ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Where it serves metrics: `http://127.0.0.1:9705`. */
  url(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Leaves the pipe without a reader, as `| head` does when it has seen enough. */
  closeStdout(): void;
}

export interface CommandOptions {
  /** Nothing else of our own environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
}

/** Runs the real command line to its end. */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<FinishedCommand> {
  return startCommand(args, options).ended;
}

/** Starts the real command line in a process of its own, which ends with the test at the latest. */
export function startCommand(args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const child = spawn(process.execPath, [...(options.node ?? []), join(ROOT, "src/main.ts"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // The cache spares most of the time that a start takes.
    env: { NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/compile"), NO_COLOR: "1", ...options.env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return observe(child);
}

function observe(child: ChildProcess): RunningCommand {
  const written = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<FinishedCommand>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...written }));
  });
  const until = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(written.stdout) ?? pattern.exec(written.stderr);
        if (match === null) return;
        waiting.delete(look);
        resolve(match);
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without ${pattern}: ${written.stdout}${written.stderr}`)));
    });
  return {
    pid: child.pid ?? 0,
    get stdout() {
      return written.stdout;
    },
    get stderr() {
      return written.stderr;
    },
    ended,
    until,
    url: async () => (await until(/serving metrics on (http:\/\/[^/\s]+)/))[1] ?? "",
    kill: (signal) => void child.kill(signal),
    closeStdout: () => void child.stdout?.destroy(),
  };
}
