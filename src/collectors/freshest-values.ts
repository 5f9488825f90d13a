import type { Clock } from "../lib/clock.ts";
import type { MeasurementRow } from "../sync/measurement.ts";
import type { ServerPicture } from "./server-picture.ts";

/** Series come one by one, and each commit costs a rendering of the page: so they are shown together. */
const SHOWN_EVERY_MS = 1_000;

export interface FreshRow {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly values: MeasurementRow["values"];
}

/** Gathers the newest rows of time series and has them shown, at most once a second. */
export class FreshestValues {
  readonly #picture: Pick<ServerPicture, "applySeries">;
  readonly #clock: Clock;
  #rows = new Map<string, FreshRow>();
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(picture: Pick<ServerPicture, "applySeries">, clock: Clock) {
    this.#picture = picture;
    this.#clock = clock;
  }

  add(sensorId: string, at: number, values: MeasurementRow["values"]): void {
    this.#rows.set(sensorId, { at, values });
    if (this.#clock.monotonic() - this.#shownAt >= SHOWN_EVERY_MS) void this.show();
  }

  /** Shows what has been gathered. */
  async show(): Promise<void> {
    if (this.#rows.size === 0) return;
    const rows = this.#rows;
    this.#rows = new Map();
    this.#shownAt = this.#clock.monotonic();
    await this.#picture.applySeries(rows);
  }
}
