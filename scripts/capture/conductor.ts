import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Activity, type ConnectionEnd, type ProcessState } from "./activity.ts";
import type { Order, Report } from "./protocol.ts";

const PRELOAD = fileURLToPath(new URL("preload.ts", import.meta.url));
/** Real time. */
const STUCK_MS = 120_000;
const NO_CONNECTIONS: ProcessState = { connecting: false, connections: [], openedAndClosed: 0 };
/** src/ sets these by a second start. One thread keeps jobs in order. */
const NODE_OPTIONS = `--max-semi-space-size=4 --disable-sigusr1 --no-warnings --import ${PRELOAD}`;

/** Besides the timers of programs. */
export interface EventSource {
  /** Undefined: no event. */
  next(): number | undefined;
  /** Runs the first due event. False: none is due. */
  run(): boolean;
}

export interface ProgramOptions {
  readonly name: string;
  readonly root: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** By configured name. */
  readonly ports?: ReadonlyMap<number, number>;
}

export class Program {
  readonly name: string;
  stdout = "";
  stderr = "";
  /** By configured name. */
  readonly listening = new Map<number, number>();
  exitCode: number | null | undefined;
  state = NO_CONNECTIONS;
  /** Of all timers, and of those that keep the process alive. */
  next: number | undefined;
  nextRef: number | undefined;
  isDirty = true;
  readonly #child: ChildProcess;
  #control: net.Socket | undefined;
  #answer: ((report: Report | undefined) => void) | undefined;

  constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    child.on("close", (code) => {
      this.exitCode = code;
      this.#gone();
    });
  }

  get isThere(): boolean {
    return this.#control !== undefined;
  }

  kill(signal: NodeJS.Signals): void {
    this.isDirty = true;
    this.#child.kill(signal);
  }

  attach(control: net.Socket): void {
    this.#control = control;
    control.on("close", () => {
      this.#control = undefined;
      this.#gone();
    });
  }

  reported(report: Report): void {
    if (report.kind === "listening") {
      this.listening.set(report.named, report.actual);
      this.isDirty = true;
    } else this.#answer?.(report);
  }

  /** Undefined after its end. */
  async tell(order: Order): Promise<Report | undefined> {
    if (this.#control === undefined) return undefined;
    const answer = new Promise<Report | undefined>((resolve) => {
      this.#answer = resolve;
    });
    this.#control.write(`${JSON.stringify(order)}\n`);
    const report = await answer;
    this.#answer = undefined;
    return report;
  }

  #gone(): void {
    this.state = NO_CONNECTIONS;
    this.next = undefined;
    this.nextRef = undefined;
    this.isDirty = false;
    this.#answer?.(undefined);
  }
}

/** Advances time when all programs wait, so results do not depend on the machine. */
export class Conductor {
  now: number;
  readonly #activity = new Activity();
  readonly #programs: Program[] = [];
  readonly #sources: EventSource[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "prtg-capture-"));
  readonly #server: net.Server;
  #openedAndClosed = 0;

  constructor(now: number) {
    this.now = now;
    this.#server = net.createServer((control) => this.#welcome(control));
    this.#server.listen(join(this.#folder, "control"));
  }

  add(source: EventSource): void {
    this.#sources.push(source);
  }

  start({ name, root, args, cwd, env = {}, ports = new Map() }: ProgramOptions): Program {
    const child = spawn(process.execPath, [join(root, "bin/prtg-exporter.js"), ...args], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: cwd,
        TZ: "UTC",
        LANG: "C.UTF-8",
        NO_COLOR: "1",
        UV_THREADPOOL_SIZE: "1",
        NODE_OPTIONS,
        ...env,
        CAPTURE_SOCKET: join(this.#folder, "control"),
        CAPTURE_NAME: name,
        CAPTURE_TIME: String(this.now),
        CAPTURE_PORTS: JSON.stringify([...ports]),
      },
    });
    const program = new Program(name, child);
    this.#programs.push(program);
    return program;
  }

  /** Without advancing time. */
  async still(isDone: () => boolean, what: string): Promise<void> {
    await this.#go(isDone, what, () => undefined);
  }

  /** Without advancing time. */
  async listening(program: Program, port: number): Promise<void> {
    const isThere = () => program.exitCode !== undefined || program.listening.has(port);
    await this.still(isThere, `${program.name} to listen`);
    if (program.exitCode !== undefined) throw new Error(`${program.name} ended: ${program.stdout}${program.stderr}`);
  }

  /** Advances time as needed. */
  async ended(program: Program): Promise<number | null> {
    const { exitCode } = program;
    if (exitCode === undefined) {
      const next = () => this.#soonest([program.nextRef]);
      await this.#go(() => program.exitCode !== undefined, `${program.name} to end`, next);
    }
    return program.exitCode ?? null;
  }

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    const next = () => Math.min(end, this.#soonest(this.#programs.map((program) => program.next)) ?? end);
    await this.#go(() => this.now >= end && (this.#next() ?? Infinity) > end, "time to pass", next);
  }

  close(): void {
    for (const program of this.#programs) if (program.exitCode === undefined) program.kill("SIGKILL");
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #go(isDone: () => boolean, what: string, next: () => number | undefined): Promise<void> {
    let progressAt = performance.now();
    for (;;) {
      await this.#quiet();
      if (this.#sources.some((source) => source.run())) {
        progressAt = performance.now();
        continue;
      }
      if (isDone()) return;
      const moment = next();
      if (moment !== undefined) {
        await this.#advance(moment);
        progressAt = performance.now();
        continue;
      }
      if (performance.now() - progressAt > STUCK_MS) throw new Error(`waited in vain for ${what}`);
      // The event is external: a program starts or ends.
      await delay(1);
      for (const program of this.#programs) program.isDirty = true;
    }
  }

  #soonest(moments: readonly (number | undefined)[]): number | undefined {
    const all = [...moments, ...this.#sources.map((source) => source.next())].filter((moment) => moment !== undefined);
    return all.length === 0 ? undefined : Math.max(this.now, Math.min(...all));
  }

  #next(): number | undefined {
    return this.#soonest(this.#programs.map(({ next }) => next));
  }

  async #advance(to: number): Promise<void> {
    this.now = to;
    await Promise.all(
      this.#programs.map(async (program) => {
        const report = await program.tell({ kind: "advance", to });
        if (report?.kind !== "advanced") return;
        program.next = report.next;
        if (report.fired > 0) program.isDirty = true;
      }),
    );
  }

  /** Every program waits, and no data is in transit. */
  async #quiet(): Promise<void> {
    const beganAt = performance.now();
    for (;;) {
      const dirty = this.#programs.filter((program) => program.isDirty && program.isThere);
      await Promise.all(dirty.map((program) => settle(program)));
      const own = await this.#activity.settled();
      const isBehind = this.#markThoseBehind(own);
      if (!isBehind) return;
      if (performance.now() - beganAt > STUCK_MS) {
        const states = this.#programs.map(({ name, state }) => ({ name, state }));
        throw new Error(`it never gets quiet: ${JSON.stringify({ own, states }, undefined, 1)}`);
      }
    }
  }

  /** True if data is in transit or connections change. Marks programs to query again. */
  #markThoseBehind(own: ProcessState): boolean {
    const ours = new Map(own.connections.map((end) => [`${end.localPort} ${end.remotePort}`, end]));
    let isBehind = own.connecting;
    for (const program of this.#programs) {
      if (!program.isThere) continue;
      for (const end of program.state.connections) {
        const key = `${end.remotePort} ${end.localPort}`;
        const peer = ours.get(key);
        ours.delete(key);
        if (peer === undefined || !agree(end, peer)) program.isDirty = true;
      }
      if (program.state.connecting) program.isDirty = true;
      if (program.isDirty) isBehind = true;
    }
    // The other end of a connection is unknown or gone, or a whole request passed since a program was asked.
    const isChanged = ours.size > 0 || own.openedAndClosed !== this.#openedAndClosed;
    this.#openedAndClosed = own.openedAndClosed;
    if (!isChanged) return isBehind;
    for (const program of this.#programs) if (program.isThere) program.isDirty = true;
    return true;
  }

  #welcome(control: net.Socket): void {
    let program: Program | undefined;
    // A program may end without closing the connection.
    control.on("error", () => undefined);
    createInterface({ input: control })
      .on("error", () => undefined)
      .on("line", (line) => {
        const report = JSON.parse(line) as Report;
        if (report.kind === "hello") {
          program = this.#programs.find(({ name, exitCode }) => name === report.name && exitCode === undefined);
          program?.attach(control);
        } else program?.reported(report);
      });
  }
}

async function settle(program: Program): Promise<void> {
  const report = await program.tell({ kind: "settle" });
  if (report?.kind !== "settled") return;
  program.state = report.state;
  program.next = report.next;
  program.nextRef = report.nextRef;
  program.isDirty = false;
}

function agree(one: ConnectionEnd, other: ConnectionEnd): boolean {
  return one.read === other.written && one.written === other.read;
}
