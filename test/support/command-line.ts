import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface FinishedCommand {
  /** From 128: ended by a signal, as in shells. Null: an unhandled signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: Promise<FinishedCommand>;
  /** Resolves with the output's first match. Rejects if the command ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Metrics address: `http://127.0.0.1:9705`. */
  url(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Closes the pipe, like `| head`. */
  closeStdout(): void;
}

interface CommandOptions {
  /** Inherits nothing else. */
  readonly env?: Readonly<Record<string, string>>;
  /** For Node itself. */
  readonly node?: readonly string[];
}

export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<FinishedCommand> {
  return startCommand(args, options).ended;
}

/** Starts the real command. It ends with the test at the latest. */
export function startCommand(args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const child = spawn(process.execPath, [...(options.node ?? []), join(ROOT, "src/main.ts"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // The compile cache saves most of the start time.
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
