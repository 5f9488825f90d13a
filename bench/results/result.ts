import type { Spread } from "../statistics.ts";

export const UNITS = ["ms", "s", "MB", "kB", "bytes", "count", "ratio", "percent"] as const;
export type Unit = (typeof UNITS)[number];

export interface Row {
  readonly name: string;
  /** What it is about, where a part measures several side by side. */
  readonly of?: string;
  readonly unit: Unit;
  readonly spread: Spread;
  readonly samples: number;
  /** Round by round against another row, whose name is `to`. */
  readonly ratio?: { readonly spread: Spread; readonly to: string };
}

/** What a budget is about, and whether it was kept. Only ratios and what does not depend on the machine are budgets. */
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
  /** Channels of the simulated server, or series where there is no server. */
  readonly size: number;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly budgets: readonly Budget[];
  /** What was not measured and why, and what else is worth knowing. */
  readonly notes: readonly string[];
  /** Of the machine when it was measured, where that is known; see BenchResults. */
  readonly calibrationMs?: Spread;
}

export interface BenchResults {
  readonly takenOn: string;
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
  /** Milliseconds that `JSON.parse` takes for one page of 3,000 channels. */
  readonly calibrationMs: Spread;
  readonly parts: readonly PartResult[];
}

export function isKept({ value, atMost, atLeast }: Budget): boolean {
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}

export function brokenBudgets(parts: readonly PartResult[]): readonly Budget[] {
  return parts.flatMap(({ budgets }) => budgets).filter((budget) => !isKept(budget));
}

/** `results` with parts exchanged for newer measurements of the same part and size, and others added. */
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
