import type { Spelling } from "./spelling.ts";

interface Spelled {
  readonly spelling: Spelling;
}

/** A timestamp as a value that becomes JSON later on; null for none. */
export function timestampOrNull({ spelling }: Spelled, at: number | undefined): string | null {
  return at === undefined ? null : (JSON.parse(spelling.timestamp(at)) as string);
}

/** The values of a section, spelled as settings are. */
export function section(
  { spelling }: Spelled,
  values: Readonly<Record<string, string | number | boolean | readonly string[]>>,
): Record<string, unknown> {
  const spelled = Object.entries(values).map(([name, value]): [string, unknown] => {
    const isList = typeof value === "object";
    return [name, isList ? value : JSON.parse(spelling.setting(value))];
  });
  return Object.fromEntries(spelled);
}

/** The word for a kind of records, as `type` has it. */
export function typeWord({ spelling }: Spelled, kind: string): string {
  return spelling.name === "live" ? kind.toUpperCase() : kind;
}

/** Joins into one flat string. A template leaves a tree of pieces, which is walked each time it is encoded. */
export function flat(...pieces: readonly string[]): string {
  // One piece alone would come back as it is.
  return pieces.concat("").join("");
}
