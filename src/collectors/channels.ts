import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { SyncEngine } from "../sync/sync-engine.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { ServerPicture } from "./server-picture.ts";
import type { UnknownParents } from "./unknown-parents.ts";

/** The last measurement of every channel. */
export class ChannelsCollector implements Collector {
  readonly name = "channels";
  readonly #api: MonitoringApi;
  readonly #picture: ServerPicture;
  readonly #unknown: UnknownParents;
  readonly #engine: Pick<SyncEngine, "onListPoll"> | undefined;

  /** `engine`: hears of every measurement; undefined where time series are not followed. */
  constructor(
    api: MonitoringApi,
    picture: ServerPicture,
    unknown: UnknownParents,
    engine: Pick<SyncEngine, "onListPoll"> | undefined,
  ) {
    this.#api = api;
    this.#picture = picture;
    this.#unknown = unknown;
    this.#engine = engine;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const list = await this.#api.channels({}, signal);
    signal.throwIfAborted();
    await this.#picture.applyChannels(list);
    this.#unknown.notice(this.#picture.unknownIds());
    await this.#engine?.onListPoll(
      list.items,
      (sensorId) => this.#picture.intervalMs(sensorId),
      this.#picture.slices(),
    );
    return { complete: list.complete };
  }
}
