import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Answer, Question } from "./answer.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const STOP_LIMIT_MS = 10_000;

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export class Child {
  readonly #process: ChildProcess;
  readonly #name: string;
  #text = "";
  #questions = 0;
  #ended = false;

  constructor(file: string, args: readonly string[], { env, cwd = ROOT }: ChildOptions = {}) {
    this.#name = [file, ...args].join(" ");
    this.#process = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding("utf8").on("data", (part: string) => {
        this.#text += part;
        this.#process.emit("text");
      });
    }
    const end = (reason: string) => {
      this.#ended = true;
      this.#text += `\n[${reason}]`;
      this.#process.emit("text");
    };
    this.#process.once("error", (error) => end(error.message));
    this.#process.once("exit", (code, signal) => end(`ended with ${signal ?? `code ${code}`}`));
    process.once("exit", this.#kill);
  }

  static node(
    script: string,
    args: readonly string[],
    options: ChildOptions & { readonly preload?: string; readonly flags?: readonly string[] } = {},
  ): Child {
    const preload =
      options.preload === undefined ? [] : ["--import", pathToFileURL(path.resolve(ROOT, options.preload)).href];
    const { flags = [] } = options;
    return new Child(process.execPath, ["--expose-gc", ...flags, ...preload, script, ...args], options);
  }

  get ended(): boolean {
    return this.#ended;
  }

  get text(): string {
    return this.#text;
  }

  /** Waits for a line of output. @throws Error with the output if the process ends or `limitMs` passes */
  async said(pattern: RegExp, limitMs = 120_000): Promise<RegExpExecArray> {
    const signal = AbortSignal.timeout(limitMs);
    for (;;) {
      const found = pattern.exec(this.#text);
      if (found !== null) return found;
      if (this.#ended || signal.aborted) throw new Error(`${this.#name} did not say ${pattern}:\n${this.#text}`);
      await once(this.#process, "text", { signal }).catch(() => undefined);
    }
  }

  /** For `answerCommands`. */
  ask<Value>(command: string): Promise<Value> {
    const id = ++this.#questions;
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const read = ({ id: answered, value, error }: Answer) => {
      if (answered !== id) return;
      done();
      if (error === undefined) resolve(value as Value);
      else reject(new Error(`${this.#name}: ${error}`));
    };
    const ended = () => {
      done();
      reject(new Error(`${this.#name} ended:\n${this.#text}`));
    };
    const done = () => {
      this.#process.off("message", read);
      this.#process.off("exit", ended);
    };
    this.#process.on("message", read);
    this.#process.on("exit", ended);
    this.#process.send({ id, command } satisfies Question);
    return promise;
  }

  async stop(): Promise<void> {
    process.off("exit", this.#kill);
    if (this.#ended) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    const impatience = setTimeout(this.#kill, STOP_LIMIT_MS);
    await ended;
    clearTimeout(impatience);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  readonly #kill = (): void => {
    this.#process.kill("SIGKILL");
  };
}
