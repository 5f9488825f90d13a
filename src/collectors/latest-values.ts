import type { Clock } from "../lib/clock.ts";
import type { LatestRow } from "../model/server-channels.ts";
import type { StateWriter } from "./state-writer.ts";

/** Series come one by one, and each commit costs a rendering of the page: so they are shown together. */
const SHOWN_EVERY_MS = 1_000;

/** Gathers the newest rows of time series and has them written together, at most once a second. */
export class LatestValues {
  readonly #writer: Pick<StateWriter, "applySeries">;
  readonly #clock: Clock;
  #rows = new Map<string, LatestRow>();
  #shownAt = Number.NEGATIVE_INFINITY;
  #showing: Promise<void> = Promise.resolve();

  constructor(writer: Pick<StateWriter, "applySeries">, clock: Clock) {
    this.#writer = writer;
    this.#clock = clock;
  }

  add(sensorId: string, at: number, values: LatestRow["values"]): void {
    this.#rows.set(sensorId, { at, values });
    if (this.#clock.monotonic() - this.#shownAt >= SHOWN_EVERY_MS) void this.show();
  }

  /** Shows what has been gathered. */
  show(): Promise<void> {
    if (this.#rows.size === 0) return this.#showing;
    const rows = this.#rows;
    this.#rows = new Map();
    this.#shownAt = this.#clock.monotonic();
    this.#showing = this.#writer.applySeries(rows);
    return this.#showing;
  }
}
