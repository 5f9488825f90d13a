import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { SyncEngine } from "../sync/sync-engine.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { StateWriter } from "./state-writer.ts";
import type { UnknownParents } from "./unknown-parents.ts";

/** The last measurement of every channel. */
export class ChannelsCollector implements Collector {
  readonly name = "channels";
  readonly #api: MonitoringApi;
  readonly #writer: StateWriter;
  readonly #unknown: UnknownParents;
  readonly #engine: Pick<SyncEngine, "onListPoll"> | undefined;

  /** `engine`: hears of every measurement; undefined where time series are not followed. */
  constructor(
    api: MonitoringApi,
    writer: StateWriter,
    unknown: UnknownParents,
    engine: Pick<SyncEngine, "onListPoll"> | undefined,
  ) {
    this.#api = api;
    this.#writer = writer;
    this.#unknown = unknown;
    this.#engine = engine;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const list = await this.#api.channels({}, signal);
    signal.throwIfAborted();
    await this.#writer.applyChannels(list);
    this.#unknown.notice(this.#writer.state.unknownIds());
    await this.#engine?.onListPoll(
      list.items,
      (sensorId) => this.#writer.state.intervalMs(sensorId),
      this.#writer.slices(),
    );
    return { complete: list.complete };
  }
}
