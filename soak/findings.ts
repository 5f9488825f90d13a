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

const MOST_KEPT = 200;

/** Gathers what a soak sees. */
export class Findings {
  readonly violations: string[] = [];
  readonly injected = new Map<string, number>();
  readonly recoveries: Recovery[] = [];
  readonly resources: ResourceSample[] = [];
  readonly eventLoopDelaysMs: number[] = [];
  readonly soundPollsMs: number[] = [];
  /** Requests to `/-/healthy`. */
  readonly calibrationMs: number[] = [];
  violationCount = 0;
  cycles = 0;
  reloads = 0;
  truthChecks = 0;
  longOutages = 0;
  changes = 0;
  answers = 0;
  faultyAnswers = 0;

  /** Something that must not be. */
  violated(what: string): void {
    this.violationCount++;
    const line = `${new Date().toISOString()} ${what}`;
    if (this.violations.length < MOST_KEPT) this.violations.push(line);
    process.stderr.write(`VIOLATION ${line}\n`);
  }

  inject(kind: string): void {
    this.injected.set(kind, (this.injected.get(kind) ?? 0) + 1);
  }
}
