import type { PartResult } from "../results/result.ts";

export interface PartOptions {
  readonly size: number;
  /** Slow parts may take fewer. */
  readonly rounds: number;
  /** A short smoke run without budgets for large servers. */
  readonly quick: boolean;
}

export type Part = (options: PartOptions) => Promise<PartResult>;

export const FULL_SIZE = 200_000;

/** Fixed costs dominate small servers. */
export function forLarge<Budget>({ size }: PartOptions, budgets: readonly Budget[]): readonly Budget[] {
  return size >= FULL_SIZE ? budgets : [];
}
