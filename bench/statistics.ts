/** Of several runs of the same thing, milliseconds. */
export interface Spread {
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}

export function spreadOf(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (position: number) => sorted[position] ?? Number.NaN;
  return { minimum: at(0), median: at(Math.floor(sorted.length / 2)), maximum: at(sorted.length - 1) };
}

/** Runs the contenders in turn, so that a busy moment of the machine hits all of them alike. */
export async function timeInTurns<Name extends string>(
  contenders: Readonly<Record<Name, () => Promise<unknown>>>,
  rounds: number,
): Promise<Record<Name, Spread>> {
  const names = Object.keys(contenders) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const started = performance.now();
      await contenders[name]();
      // The first round warms up.
      if (round >= 0) times[name].push(performance.now() - started);
    }
  }
  return Object.fromEntries(names.map((name) => [name, spreadOf(times[name])])) as Record<Name, Spread>;
}

/** A table row: median, spread, and the ratio to another contender's median. */
export function describeSpread(name: string, spread: Spread, reference: Spread): string {
  const milliseconds = (value: number) => value.toFixed(1).padStart(9);
  const ratio = (spread.median / reference.median).toFixed(2).padStart(8);
  return `${name.padEnd(44)}${milliseconds(spread.median)}${milliseconds(spread.minimum)}${milliseconds(spread.maximum)}${ratio}`;
}

export const TABLE_HEADER = `${"".padEnd(44)}${"median".padStart(9)}${"min".padStart(9)}${"max".padStart(9)}${"ratio".padStart(8)}`;
