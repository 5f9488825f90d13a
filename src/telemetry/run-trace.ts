import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../lib/clock.ts";
import type { DecodeProblem } from "../prtg/decode-problems.ts";

/** The last lines of a run. With 14 runs a server, these two bound its memory to 280 kB. */
export const MAX_LINES = 20;
export const MAX_LINE_LENGTH = 1_000;

/** Most waits are shorter, and explain nothing. */
const MIN_WORK_MS = 1;

export interface FinishedRequest {
  /** Template without ids, such as `/experimental/channels`. */
  readonly endpoint: string;
  /** HTTP status, or the kind of failure. */
  readonly code: string;
  /** From sending the request to the last byte, without waiting for the budget. */
  readonly durationMs: number;
  /** Received bytes of the body. */
  readonly bytes: number;
}

/** Requests to one endpoint, or other work. Times are milliseconds since the start of the run. */
export interface RunStep {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Sum of durations. Parallel requests add up. */
  readonly ms: number;
  readonly count: number;
  /** Number of answers by HTTP status or kind of failure. Empty without requests. */
  readonly answers: ReadonlyMap<string, number>;
  readonly bytes: number;
}

type MutableStep = { -readonly [Key in keyof RunStep]: RunStep[Key] };

const NO_ANSWERS: ReadonlyMap<string, number> = new Map();
const NO_PROBLEMS: ReadonlyMap<DecodeProblem, number> = new Map();

export interface RunEnd {
  readonly durationMs: number;
  /** Every object was read. */
  readonly complete: boolean;
  readonly error: string | undefined;
}

/** What one run of a collector did. Servers keep one or two of each collector, so empty maps are shared. */
export class RunTrace {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  problems: ReadonlyMap<DecodeProblem, number> = NO_PROBLEMS;
  /** Redacted JSON; longer lines are cut. */
  readonly lines: string[] = [];
  droppedLines = 0;
  end: RunEnd | undefined;
  readonly #clock: Clock;
  readonly #start: number;
  readonly #steps: MutableStep[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.startedAt = clock.now();
    this.#start = clock.monotonic();
  }

  /** In the order of their starts. */
  get steps(): readonly RunStep[] {
    return this.#steps.toSorted((a, b) => a.from - b.from);
  }

  addRequest({ endpoint, code, durationMs, bytes }: FinishedRequest): void {
    const step = this.#add(endpoint, durationMs);
    step.answers = new Map(step.answers).set(code, (step.answers.get(code) ?? 0) + 1);
    step.bytes += bytes;
  }

  /** @param since Monotonic. */
  addWork(name: string, since: number): void {
    const ms = this.#clock.monotonic() - since;
    if (ms >= MIN_WORK_MS) this.#add(name, ms);
  }

  addProblem(problem: DecodeProblem, count: number): void {
    if (count > 0) this.problems = new Map(this.problems).set(problem, (this.problems.get(problem) ?? 0) + count);
  }

  addLine(line: string): void {
    // Connections that a run opened keep it in their context.
    if (this.end !== undefined) return;
    this.lines.push(line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line.trimEnd());
    if (this.lines.length <= MAX_LINES) return;
    this.lines.shift();
    this.droppedLines++;
  }

  #add(name: string, ms: number): MutableStep {
    const to = this.#clock.monotonic() - this.#start;
    let step = this.#steps.find((one) => one.name === name);
    if (step === undefined) {
      step = { name, from: to - ms, to, ms: 0, count: 0, answers: NO_ANSWERS, bytes: 0 };
      this.#steps.push(step);
    }
    step.from = Math.min(step.from, to - ms);
    step.to = to;
    step.ms += ms;
    step.count++;
    return step;
  }
}

const scope = new AsyncLocalStorage<RunTrace>();

/** Requests, problems and log lines of `work` belong to the run. */
export function traced<Result>(run: RunTrace, work: () => Result): Result {
  return scope.run(run, work);
}

export function currentRun(): RunTrace | undefined {
  return scope.getStore();
}
