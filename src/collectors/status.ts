import type { NodeKind } from "../prtg/records.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { NodeLists } from "./node-lists.ts";
import type { ParentKind } from "./node-series.ts";
import { PollParts } from "./poll-parts.ts";
import type { ServerCounts } from "./server-counts.ts";
import type { ServerPicture } from "./server-picture.ts";
import type { UnknownParents } from "./unknown-parents.ts";

/** States of sensors, devices, groups and probes, and how many sensors are in each. */
export class StatusCollector implements Collector {
  readonly name = "status";
  readonly #counts: ServerCounts;
  readonly #lists: NodeLists;
  readonly #picture: ServerPicture;
  readonly #unknown: UnknownParents;
  readonly #countedKinds: () => ReadonlySet<NodeKind>;

  constructor(
    lists: NodeLists,
    picture: ServerPicture,
    unknown: UnknownParents,
    counts: ServerCounts,
    countedKinds: () => ReadonlySet<ParentKind>,
  ) {
    this.#counts = counts;
    this.#lists = lists;
    this.#picture = picture;
    this.#unknown = unknown;
    this.#countedKinds = countedKinds;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const parts = new PollParts(signal);
    const statusSummary = await parts.read(() => this.#counts.statusSummary(signal));
    const counted = this.#countedKinds();
    const options = (kind: NodeKind) => (counted.has(kind) ? { statusSummary: true } : {});
    const { poll, complete } = await this.#lists.read(parts, options, signal);
    await this.#picture.applyTree({ nodes: poll, statusSummary });
    this.#unknown.notice(this.#picture.unknownIds());
    parts.throwIfFailed();
    return { complete };
  }
}
