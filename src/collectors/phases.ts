import type { Runtime } from "../lib/runtime.ts";
import type { CollectorName } from "./collector.ts";
import { STEP_MS } from "./timetable.ts";

const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/** Servers with one phase: their series are neighbours in the store, and one refresh of the page renders all. */
const TOGETHER = 32;

/**
 * Spreads the polls of servers over the period: each phase halves one of the widest gaps. Otherwise all polls start together,
 * scrapes wait for seconds, and hundreds of unfinished answers are in memory.
 */
export class Phases {
  readonly #random: Runtime["random"];
  #count = 0;
  #last: Phase | undefined;

  constructor(random: Runtime["random"]) {
    this.#random = random;
  }

  next(): Phase {
    const at = this.#count++;
    if (this.#last === undefined || at % TOGETHER === 0) {
      this.#last = new Phase((GOLDEN_RATIO * Math.floor(at / TOGETHER)) % 1, this.#random);
    }
    return this.#last;
  }
}

/** Servers that poll together. */
export class Phase {
  /** Part of the period, from 0 for the first servers to below 1. */
  readonly part: number;
  readonly #random: Runtime["random"];
  readonly #drawn = new Map<CollectorName, { readonly step: number; readonly share: number }>();

  constructor(part: number, random: Runtime["random"]) {
    this.part = part;
    this.#random = random;
  }

  /**
   * From 0 to below 1: random for each tick of a collector, and equal for all servers of the phase.
   * @param tickAt Milliseconds of either clock.
   */
  jitter(collector: CollectorName, tickAt: number): number {
    const step = Math.round(tickAt / STEP_MS);
    const last = this.#drawn.get(collector);
    if (last?.step === step) return last.share;
    const share = this.#random();
    this.#drawn.set(collector, { step, share });
    return share;
  }
}
