import type { Spread } from "../statistics.ts";

export const UNITS = ["ms", "s", "MB", "kB", "bytes", "count", "ratio", "percent"] as const;
export type Unit = (typeof UNITS)[number];

export interface Row {
  readonly name: string;
  /** The subject, if a part measures several. */
  readonly of?: string;
  readonly unit: Unit;
  readonly spread: Spread;
  readonly samples: number;
  /** Round by round, against the row `to`. */
  readonly ratio?: { readonly spread: Spread; readonly to: string };
}

/** Only ratios and machine-independent values have budgets. */
export interface Budget {
  readonly what: string;
  readonly unit: Unit;
  readonly value: number;
  readonly atMost?: number;
  readonly atLeast?: number;
}

export function ratioBudget(what: string, value: number, atMost: number): Budget {
  return { what, unit: "ratio", value, atMost };
}

export interface PartResult {
  readonly part: string;
  /** Series if there is no server. */
  readonly size: number;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly budgets: readonly Budget[];
  /** Also what was not measured, and why. */
  readonly notes: readonly string[];
  /** If known. See BenchResults. */
  readonly calibrationMs?: Spread;
}

export interface BenchResults {
  readonly takenOn: string;
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
  /** `JSON.parse` of a page of 3,000 channels. */
  readonly calibrationMs: Spread;
  readonly parts: readonly PartResult[];
}

export function isKept({ value, atMost, atLeast }: Budget): boolean {
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}

export function brokenBudgets(parts: readonly PartResult[]): readonly Budget[] {
  return parts.flatMap(({ budgets }) => budgets).filter((budget) => !isKept(budget));
}

/** Replaces parts of the same name and size. */
export function withParts(
  results: BenchResults | undefined,
  newer: Omit<BenchResults, "parts">,
  parts: readonly PartResult[],
): BenchResults {
  const key = ({ part, size }: PartResult) => `${part} ${size}`;
  const merged = new Map((results?.parts ?? []).map((part) => [key(part), part]));
  for (const part of parts) merged.set(key(part), part);
  return { ...newer, parts: [...merged.values()] };
}
