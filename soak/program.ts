import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
/** A soak must not fill memory with what its programs say. */
const KEPT_CHARACTERS = 200_000;
/** Lines that no fault of a server excuses: errors that the code does not foresee are logged with a stack. */
const SUSPICIOUS = /"stack":|nhandled|TypeError|RangeError|ReferenceError|AssertionError|MaxListeners|out of memory/;

/** The exporter or the simulator in a process of its own. */
export class Program {
  /** Lines that say that something went wrong which the code does not foresee. */
  readonly suspicious: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #output = "";
  #ending: string | undefined;

  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    nodeOptions: readonly string[] = [],
  ) {
    this.#child = spawn(process.execPath, [...nodeOptions, MAIN, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: ROOT,
      env: { ...process.env, NO_COLOR: "1", ...env },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_CHARACTERS);
        for (const line of text.split("\n")) if (SUSPICIOUS.test(line)) this.suspicious.push(line.slice(0, 1_000));
      });
    }
    const killAtExit = () => void this.#child.kill("SIGKILL");
    process.once("exit", killAtExit);
    this.#ended = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        process.off("exit", killAtExit);
        this.#ending = `ended with ${signal ?? `code ${code}`}`;
        resolve(this.#ending);
      });
    });
  }

  /** How it ended; undefined while it runs. */
  get ending(): string | undefined {
    return this.#ending;
  }

  /** The last part of what it wrote. */
  get output(): string {
    return this.#output;
  }

  /** @throws Error when it ends or says nothing of the kind in time */
  async until(pattern: RegExp, limitMs = 60_000): Promise<RegExpExecArray> {
    const limit = Date.now() + limitMs;
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found !== null) return found;
      if (this.#ending !== undefined || Date.now() > limit) {
        throw new Error(`no ${pattern} (${this.#ending ?? "still running"}):\n${this.#output.slice(-4_000)}`);
      }
      await sleep(50);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves with how it ended. */
  async stop(limitMs = 20_000): Promise<string> {
    const impatience = setTimeout(() => this.#child.kill("SIGKILL"), limitMs);
    this.#child.kill("SIGTERM");
    const ending = await this.#ended;
    clearTimeout(impatience);
    return ending;
  }

  /** The highest that memory was is from now on. Nothing happens where the system has no such thing. */
  resetPeak(): void {
    try {
      writeFileSync(`/proc/${this.#child.pid}/clear_refs`, "5");
    } catch {
      // Then the peak is that since the start.
    }
  }

  /** Resident memory now and at its highest in bytes, and open files and sockets; undefined where the system does not tell. */
  resources(): { readonly residentBytes: number; readonly peakBytes: number; readonly openFiles: number } | undefined {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      const bytes = (name: string) => 1_024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]);
      const openFiles = readdirSync(`/proc/${this.#child.pid}/fd`).length;
      return { residentBytes: bytes("VmRSS"), peakBytes: bytes("VmHWM"), openFiles };
    } catch {
      return undefined;
    }
  }
}
