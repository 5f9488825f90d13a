import type { Row, Unit } from "../results/result.ts";
import { ratiosOf, type Samples, type Spread, spreadOf } from "../statistics.ts";

/** With the ratio to the `reference`. */
export function rowsOf<Name extends string>(
  samples: Samples<Name>,
  unit: Unit,
  reference: (name: Name) => Name | undefined,
): Row[] {
  return (Object.keys(samples) as Name[]).map((name) => {
    const to = reference(name);
    const row = rowOf(name, unit, samples[name]);
    return to === undefined || to === name
      ? row
      : { ...row, ratio: { spread: ratiosOf(samples[name], samples[to]), to } };
  });
}

export function rowOf(name: string, unit: Unit, values: readonly number[]): Row {
  return { name, unit, spread: spreadOf(values), samples: values.length };
}

export function ratioOf(rows: readonly Row[], name: string): Spread | number {
  return rows.find((row) => row.name === name)?.ratio?.spread ?? Number.NaN;
}
