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

/**
 * Ratios within one run where the speed of the machine matters. Bytes and counts are absolute. The few limits in milliseconds are
 * what users feel, and wide.
 */
export interface Budget {
  readonly what: string;
  readonly unit: Unit;
  readonly value: number;
  /** Of the rounds, if there were several. */
  readonly spread?: Spread;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** `value`: the spread of the rounds, or one ratio. */
export function ratioBudget(what: string, value: Spread | number, atMost: number): Budget {
  const unit = "ratio";
  if (typeof value === "number") return { what, unit, value, atMost };
  return { what, unit, value: value.median, spread: value, atMost };
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
}

/** Where and when a part was measured. */
export interface Occasion {
  /** `2026-11-27`. */
  readonly date: string;
  /** Followed by `+` if files differed from it. */
  readonly commit: string;
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
  /** `JSON.parse` of a page of 3,000 channels: equal machines differ from hour to hour. */
  readonly calibrationMs: Spread;
}

export interface MeasuredPart extends PartResult {
  readonly occasion: Occasion;
}

export interface BenchResults {
  readonly parts: readonly MeasuredPart[];
}

export function isKept({ value, atMost, atLeast }: Budget): boolean {
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}

export function brokenBudgets(parts: readonly PartResult[]): readonly Budget[] {
  return parts.flatMap(({ budgets }) => budgets).filter((budget) => !isKept(budget));
}

/** Replaces the part of the same name and size. */
export function withPart(results: BenchResults | undefined, newer: MeasuredPart): BenchResults {
  const key = ({ part, size }: PartResult) => `${part} ${size}`;
  const merged = new Map((results?.parts ?? []).map((part) => [key(part), part]));
  merged.set(key(newer), newer);
  return { parts: [...merged.values()] };
}
