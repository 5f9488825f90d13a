import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ChannelRecord, ListResult } from "../prtg/records.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { LookupList } from "./lookup-list.ts";
import type { StateWriter } from "./state-writer.ts";

/** Limits and lookups of every channel: they rarely change, and cost the server two sections more per channel. */
export class LimitsCollector implements Collector {
  readonly name = "limits";
  readonly #api: MonitoringApi;
  readonly #writer: StateWriter;
  readonly #lookups: LookupList;

  constructor(api: MonitoringApi, writer: StateWriter, lookups: LookupList) {
    this.#api = api;
    this.#writer = writer;
    this.#lookups = lookups;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const lookups = await this.#lookups.read(signal);
    const list = await this.#readChannels(lookups !== undefined && lookups.size > 0, signal);
    signal.throwIfAborted();
    await this.#writer.applyLimits(list, lookups);
    return { complete: list.complete };
  }

  /** The lookups are an extra. */
  async #readChannels(lookups: boolean, signal: AbortSignal): Promise<ListResult<ChannelRecord>> {
    if (!lookups) return this.#api.channels({ limits: true }, signal);
    const list = await this.#api.channels({ limits: true, lookups }, signal);
    if (list.refused?.includes("values") === true) this.#lookups.refused();
    else this.#lookups.used();
    return list;
  }
}
