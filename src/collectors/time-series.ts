import type { SyncEngine } from "../sync/sync-engine.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { FreshestValues } from "./freshest-values.ts";

/** The live time series of the sensors that are due: what lists did not show, and the values of fast sensors. */
export class TimeSeriesCollector implements Collector {
  readonly name = "timeseries";
  readonly #engine: Pick<SyncEngine, "readDue">;
  readonly #freshest: FreshestValues;

  constructor(engine: Pick<SyncEngine, "readDue">, freshest: FreshestValues) {
    this.#engine = engine;
    this.#freshest = freshest;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    try {
      const { failed } = await this.#engine.readDue(signal);
      return { complete: failed === 0 };
    } finally {
      await this.#freshest.show();
    }
  }
}
