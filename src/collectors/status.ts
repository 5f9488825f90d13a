import type { ParentKind } from "../projection/shape.ts";
import type { NodeKind } from "../prtg/records.ts";
import type { Collector, RunResult } from "./collector.ts";
import type { NodeLists } from "./node-lists.ts";
import { PollParts } from "./poll-parts.ts";
import type { ServerCounts } from "./server-counts.ts";
import type { StateWriter } from "./state-writer.ts";
import type { UnknownParents } from "./unknown-parents.ts";

/** States of sensors, devices, groups and probes, and how many sensors are in each. */
export class StatusCollector implements Collector {
  readonly name = "status";
  readonly #counts: ServerCounts;
  readonly #lists: NodeLists;
  readonly #writer: StateWriter;
  readonly #unknown: UnknownParents;
  readonly #countedKinds: () => ReadonlySet<NodeKind>;

  constructor(
    lists: NodeLists,
    writer: StateWriter,
    unknown: UnknownParents,
    counts: ServerCounts,
    countedKinds: () => ReadonlySet<ParentKind>,
  ) {
    this.#counts = counts;
    this.#lists = lists;
    this.#writer = writer;
    this.#unknown = unknown;
    this.#countedKinds = countedKinds;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const parts = new PollParts(signal);
    const statusSummary = await parts.read(() => this.#counts.statusSummary(signal));
    const counted = this.#countedKinds();
    const options = (kind: NodeKind) => (counted.has(kind) ? { statusSummary: true } : {});
    const { poll, complete } = await this.#lists.read(parts, options, signal);
    await this.#writer.applyTree({ nodes: poll, statusSummary });
    this.#unknown.notice(this.#writer.state.unknownIds());
    parts.throwIfFailed();
    return { complete };
  }
}
