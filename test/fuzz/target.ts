/** One input: which of the target's parsers gets which text. */
export interface FuzzInput {
  readonly variant: string;
  readonly text: string;
}

/** What is fuzzed, beside HTTP, which `http-requests.ts` does on real connections. */
export interface FuzzTarget {
  readonly name: string;
  /** The same draws make the same input. */
  readonly draw: (random: () => number) => FuzzInput;
  /** Throws, or rejects, for what must not be. Errors that the parsers promise are its own business. */
  readonly run: (input: FuzzInput) => void | Promise<void>;
}

export const TARGET_NAMES = ["decoder", "filter", "config", "state", "http"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/** Says what a target found out beside crashes: an answer that breaks its own promise. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
}

export function promise(holds: boolean, what: string): void {
  if (!holds) throw new BrokenPromise(what);
}
