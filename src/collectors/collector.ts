import type { ExpiryPolicy } from "../model/update-context.ts";

interface CollectorRow {
  readonly name: string;
  /** Collectors with the same number start together. */
  readonly firstRun: number;
  /** Pauses when the process is busy. `prtg_up` and the first page do not need it. */
  readonly isExtra?: true;
  /** Defers reads to a later run. */
  readonly defers?: true;
  /** Reads objects of the tree. */
  readonly isBelowTree?: true;
  /** A run that works does not prove the credentials. */
  readonly provesNothing?: true;
  /** Facts that a run confirms. If other collectors confirm one too, the collector that names it first decides. */
  readonly confirms: readonly (keyof ExpiryPolicy)[];
}

/**
 * In the order of their first runs: the tree before everything that refers to it, so that the first page is right at
 * once. Status and channels start together: a slow status list must not delay values.
 */
const ROWS = [
  // Needs no credentials.
  { name: "health", firstRun: 0, provesNothing: true, confirms: ["version"] },
  { name: "tree", firstRun: 1, confirms: ["property", "state"] },
  { name: "status", firstRun: 2, isBelowTree: true, confirms: ["state", "property"] },
  { name: "channels", firstRun: 2, isBelowTree: true, confirms: ["channel"] },
  { name: "limits", firstRun: 3, isExtra: true, isBelowTree: true, confirms: ["limit"] },
  { name: "details", firstRun: 4, isExtra: true, confirms: ["detail"] },
  // Sends no request if nothing is due.
  { name: "timeseries", firstRun: 5, isExtra: true, defers: true, provesNothing: true, confirms: [] },
] as const satisfies readonly CollectorRow[];

export type CollectorName = (typeof ROWS)[number]["name"];

/** Collectors in the order of their first runs. */
export const COLLECTORS: readonly (CollectorRow & { readonly name: CollectorName })[] = ROWS;

export function collectorsWith(
  member: "isExtra" | "defers" | "isBelowTree" | "provesNothing",
): readonly CollectorName[] {
  return COLLECTORS.filter((row) => row[member]).map(({ name }) => name);
}

/**
 * One run of a collector: reads from the server into the state.
 * @throws the error that left nothing to write, or the signal's reason
 */
export type Poll = (signal: AbortSignal) => Promise<PollResult>;

export interface PollResult {
  /** Every object was read. */
  readonly complete: boolean;
  /** Lists refer to objects that no list contains. */
  readonly needsTree?: boolean;
  /** The error of a part. The state has the other parts. */
  readonly error?: unknown;
}
