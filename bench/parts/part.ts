import type { PartResult } from "../results/result.ts";

export interface PartOptions {
  readonly size: number;
  /** Values of what is repeated; slow ones may take fewer. */
  readonly rounds: number;
  /** Only shows that everything runs: small, short, and without budgets that need a size. */
  readonly quick: boolean;
}

export type Part = (options: PartOptions) => Promise<PartResult>;

export const FULL_SIZE = 200_000;

/** Budgets that hold for large servers only: in a small one fixed costs count for more than what is measured. */
export function forLarge<Budget>({ size }: PartOptions, budgets: readonly Budget[]): readonly Budget[] {
  return size >= FULL_SIZE ? budgets : [];
}
