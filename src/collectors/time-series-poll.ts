import type { Clock } from "../lib/clock.ts";
import type { LatestRow } from "../model/server-channels.ts";
import type { SyncEngine } from "../sync/sync-engine.ts";
import type { PollResult } from "./collector.ts";
import type { StateWriter } from "./state-writer.ts";

/** Time series of the sensors that are due: values that the lists missed, and those of fast sensors. */
export async function pollTimeSeries(
  engine: Pick<SyncEngine, "readDue">,
  latest: LatestValues,
  signal: AbortSignal,
): Promise<PollResult> {
  try {
    const { failed } = await engine.readDue(signal);
    return { complete: failed === 0 };
  } finally {
    await latest.write();
  }
}

/** Series come one by one, and each commit renders the page again. */
const WRITE_EVERY_MS = 1_000;

/** Gathers the newest rows of time series and writes them to the state, at most once a second. */
export class LatestValues {
  readonly #writer: Pick<StateWriter, "applySeries">;
  readonly #clock: Clock;
  #rows = new Map<string, LatestRow>();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();

  constructor(writer: Pick<StateWriter, "applySeries">, clock: Clock) {
    this.#writer = writer;
    this.#clock = clock;
  }

  add(sensorId: string, at: number, values: LatestRow["values"]): void {
    this.#rows.set(sensorId, { at, values });
    if (this.#clock.monotonic() - this.#writtenAt >= WRITE_EVERY_MS) void this.write();
  }

  write(): Promise<void> {
    if (this.#rows.size === 0) return this.#writing;
    const rows = this.#rows;
    this.#rows = new Map();
    this.#writtenAt = this.#clock.monotonic();
    this.#writing = this.#writer.applySeries(rows);
    return this.#writing;
  }
}
