import type { Logger } from "pino";
import type { Clock } from "./clock.ts";

/** The surroundings that tests replace. */
export interface Runtime {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly log: Logger;
}
