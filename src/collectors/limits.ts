import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { ServerPicture } from "./server-picture.ts";

/** The limits of every channel: they rarely change, and cost the server a section more per channel. */
export class LimitsCollector implements Collector {
  readonly name = "limits";
  readonly #api: MonitoringApi;
  readonly #picture: ServerPicture;

  constructor(api: MonitoringApi, picture: ServerPicture) {
    this.#api = api;
    this.#picture = picture;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const list = await this.#api.channels({ limits: true }, signal);
    signal.throwIfAborted();
    await this.#picture.applyLimits(list);
    return { complete: list.complete };
  }
}
