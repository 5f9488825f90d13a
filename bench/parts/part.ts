import type { PartResult } from "../results/result.ts";

export interface PartOptions {
  readonly size: number;
  /** Repetitions; slow parts may take fewer. */
  readonly rounds: number;
  /** A short run that shows that everything works, without budgets for large servers. */
  readonly quick: boolean;
}

export type Part = (options: PartOptions) => Promise<PartResult>;

export const FULL_SIZE = 200_000;

/** Drops budgets for small servers, where fixed costs dominate. */
export function forLarge<Budget>({ size }: PartOptions, budgets: readonly Budget[]): readonly Budget[] {
  return size >= FULL_SIZE ? budgets : [];
}
