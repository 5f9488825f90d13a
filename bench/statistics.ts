export interface Spread {
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}

/** @throws RangeError without values */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [minimum] = sorted;
  const maximum = sorted.at(-1);
  if (minimum === undefined || maximum === undefined) throw new RangeError("a spread of nothing");
  const upper = sorted[Math.floor(sorted.length / 2)] ?? maximum;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? minimum;
  return { minimum, median: (lower + upper) / 2, maximum };
}

/** The value that `share` of the values do not exceed. @throws RangeError without values */
export function percentileOf(values: readonly number[], share: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1];
  if (value === undefined) throw new RangeError("a percentile of nothing");
  return value;
}

export type Samples<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/** In turn, so that noise hits all. Drops the first `warmUp` rounds. */
export async function measureInTurns<Name extends string>(
  contenders: Readonly<Record<Name, () => Promise<number>>>,
  rounds: number,
  warmUp = 1,
): Promise<Samples<Name>> {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of names) {
      const value = await contenders[name]();
      if (round >= 0) samples[name].push(value);
    }
  }
  return samples;
}

export async function elapsed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Per round, which cancels common disturbances. */
export function ratiosOf(values: readonly number[], reference: readonly number[]): Spread {
  return spreadOf(values.flatMap((value, round) => (reference[round] === undefined ? [] : [value / reference[round]])));
}

/** From the first third to the last, as a share of the first. */
export function growthOf(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3));
  const first = spreadOf(values.slice(0, third)).median;
  return spreadOf(values.slice(-third)).median / first - 1;
}
