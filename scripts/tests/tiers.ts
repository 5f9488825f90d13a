export interface TierRules {
  /** Fewer tests fail the tier: a pattern that matches nothing, or a file that is not found, is no success. */
  readonly atLeast: number;
  readonly allowedSkips: readonly AllowedSkip[];
}

export interface AllowedSkip {
  /** `FILE > full name of the test`, or its beginning. */
  readonly test: string;
  readonly reason: string;
}

const NO_SKIPS: readonly AllowedSkip[] = [];

/** By the names in .ci/run. Floors are about 5 % below the counts of 2026-11. */
export const TIERS: Readonly<Record<string, TierRules>> = {
  unit: { atLeast: 12_650, allowedSkips: NO_SKIPS },
  "newest-node": { atLeast: 2_290, allowedSkips: NO_SKIPS },
  "integration-and-real": { atLeast: 970, allowedSkips: NO_SKIPS },
  containers: { atLeast: 20, allowedSkips: NO_SKIPS },
  cluster: { atLeast: 3, allowedSkips: NO_SKIPS },
};
