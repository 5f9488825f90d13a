/** What a soak has found. */
export interface Recovery {
  readonly kind: string;
  readonly ms: number;
}

export interface ResourceSample {
  /** Since the start, hours. */
  readonly hours: number;
  readonly residentBytes: number;
  readonly openFiles: number;
}

const MAX_KEPT = 200;
/** What went wrong mostly comes of one of so many faults. */
const MAX_LATEST = 4;

/** Gathers what a soak sees. */
export class Findings {
  readonly violations: string[] = [];
  readonly injected = new Map<string, number>();
  readonly recoveries: Recovery[] = [];
  /** What readers of pages were answered: how often, by status or by what became of the request. */
  readonly readings = new Map<string, number>();
  readonly resources: ResourceSample[] = [];
  readonly eventLoopDelaysMs: number[] = [];
  readonly soundPollsMs: number[] = [];
  /** Requests to `/-/healthy`. */
  readonly calibrationMs: number[] = [];
  /** What was injected last, the newest at the end. */
  #latest: readonly string[] = [];
  violationCount = 0;
  cycles = 0;
  reloads = 0;
  truthChecks = 0;
  longOutages = 0;
  changes = 0;
  /** Most time between two requests for the channels of the server that is left alone, milliseconds. */
  longestPollGapMs = 0;
  /** Resident memory at its highest, bytes. */
  peakBytes = 0;

  /** Something that must not be. */
  violated(what: string): void {
    this.violationCount++;
    const line = `${new Date().toISOString()} ${what} (after ${this.#latest.join(", ") || "the start"})`;
    if (this.violations.length < MAX_KEPT) this.violations.push(line);
    process.stderr.write(`VIOLATION ${line}\n`);
  }

  inject(kind: string): void {
    increment(this.injected, kind);
    this.#latest = [...this.#latest, kind].slice(-MAX_LATEST);
  }

  /** A reader's request is over. */
  read(outcome: string): void {
    increment(this.readings, outcome);
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
