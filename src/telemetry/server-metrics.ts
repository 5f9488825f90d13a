/** Problems in the server's answers that are counted and left out. */
export const DECODE_PROBLEMS = ["record", "status", "value", "timestamp", "summary", "lookup", "text"] as const;
export type DecodeProblem = (typeof DECODE_PROBLEMS)[number];

/** Why a channel has no mapped metric, where somebody may want to mend that. */
export const UNMAPPED_REASONS = ["unknown_unit", "unconverted"] as const;
export type UnmappedReason = (typeof UNMAPPED_REASONS)[number];

/** What one server's part of the exporter reports about itself. */
export interface ServerMetrics {
  up(working: boolean): void;
  collector(name: string): CollectorMetrics;
  decodeProblem(problem: DecodeProblem, count: number): void;
  waitingChannels(count: number): void;
  /** Called where there are rules only. */
  unmappedChannels(reason: UnmappedReason, count: number): void;
  orphans(count: number): void;
  /** The server's clock minus ours. */
  clockOffset(seconds: number): void;
}

export interface CollectorMetrics {
  /** False when the server lacks the endpoint that the collector needs. */
  enabled(enabled: boolean): void;
  finished(run: FinishedRun): void;
  /** A run was left out because the one before was still under way. */
  skipped(): void;
}

export interface FinishedRun {
  readonly success: boolean;
  readonly complete: boolean;
  readonly durationSeconds: number;
  /** Unix time of the end, seconds. */
  readonly finishedAt: number;
}
