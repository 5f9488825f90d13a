/** Selects one of the target's parsers and its text. */
export interface FuzzInput {
  readonly variant: string;
  readonly text: string;
}

/** Except HTTP: see `http-requests.ts`. */
export interface FuzzTarget {
  readonly name: string;
  /** Same draws, same input. */
  readonly draw: (random: () => number) => FuzzInput;
  /** Throws for a violation, not for documented errors. */
  readonly run: (input: FuzzInput) => void | Promise<void>;
}

export const TARGET_NAMES = ["decoder", "filter", "config", "state", "http"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/** A violated promise other than a crash. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
}

export function promise(holds: boolean, what: string): void {
  if (!holds) throw new BrokenPromise(what);
}
