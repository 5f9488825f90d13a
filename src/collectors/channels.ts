import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { ServerPicture } from "./server-picture.ts";
import type { UnknownParents } from "./unknown-parents.ts";

/** The last measurement of every channel. */
export class ChannelsCollector implements Collector {
  readonly name = "channels";
  readonly #api: MonitoringApi;
  readonly #picture: ServerPicture;
  readonly #unknown: UnknownParents;

  constructor(api: MonitoringApi, picture: ServerPicture, unknown: UnknownParents) {
    this.#api = api;
    this.#picture = picture;
    this.#unknown = unknown;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const list = await this.#api.channels({}, signal);
    signal.throwIfAborted();
    await this.#picture.applyChannels(list);
    this.#unknown.notice(this.#picture.unknownIds());
    return { complete: list.complete };
  }
}
