import type { SyncEngine } from "../sync/sync-engine.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { LatestValues } from "./latest-values.ts";

/** The live time series of the sensors that are due: what lists did not show, and the values of fast sensors. */
export class TimeSeriesCollector implements Collector {
  readonly name = "timeseries";
  readonly #engine: Pick<SyncEngine, "readDue">;
  readonly #latest: LatestValues;

  constructor(engine: Pick<SyncEngine, "readDue">, latest: LatestValues) {
    this.#engine = engine;
    this.#latest = latest;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    try {
      const { failed } = await this.#engine.readDue(signal);
      return { complete: failed === 0 };
    } finally {
      await this.#latest.show();
    }
  }
}
