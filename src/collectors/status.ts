import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { NodeKind } from "../api/records.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { NodeLists } from "./node-lists.ts";
import type { ParentKind } from "./node-series.ts";
import { PollParts } from "./poll-parts.ts";
import type { ServerPicture } from "./server-picture.ts";
import type { UnknownParents } from "./unknown-parents.ts";

/** States of sensors, devices, groups and probes, and how many sensors are in each. */
export class StatusCollector implements Collector {
  readonly name = "status";
  readonly #api: MonitoringApi;
  readonly #lists: NodeLists;
  readonly #picture: ServerPicture;
  readonly #unknown: UnknownParents;
  readonly #countedKinds: ReadonlySet<NodeKind>;

  constructor(
    api: MonitoringApi,
    lists: NodeLists,
    picture: ServerPicture,
    unknown: UnknownParents,
    countedKinds: Iterable<ParentKind>,
  ) {
    this.#api = api;
    this.#lists = lists;
    this.#picture = picture;
    this.#unknown = unknown;
    this.#countedKinds = new Set(countedKinds);
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const parts = new PollParts(signal);
    const statusSummary = await parts.read(() => this.#api.statusSummary(signal));
    const options = (kind: NodeKind) => (this.#countedKinds.has(kind) ? { statusSummary: true } : {});
    const { poll, complete } = await this.#lists.read(parts, options, signal);
    await this.#picture.applyTree({ nodes: poll, statusSummary });
    this.#unknown.notice(this.#picture.unknownIds());
    parts.throwIfFailed();
    return { complete };
  }
}
