import type { Collector, RunResult } from "./collector.ts";
import type { NodeLists } from "./node-lists.ts";
import { PollParts } from "./poll-parts.ts";
import type { ServerCounts } from "./server-counts.ts";
import type { StateWriter } from "./state-writer.ts";
import type { UnknownParents } from "./unknown-parents.ts";

/** Names, places in the tree, properties, and how many objects there are. */
export class TreeCollector implements Collector {
  readonly name = "tree";
  readonly #counts: ServerCounts;
  readonly #lists: NodeLists;
  readonly #writer: StateWriter;
  readonly #unknown: UnknownParents;

  constructor(lists: NodeLists, writer: StateWriter, unknown: UnknownParents, counts: ServerCounts) {
    this.#counts = counts;
    this.#lists = lists;
    this.#writer = writer;
    this.#unknown = unknown;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const parts = new PollParts(signal);
    const { poll, complete } = await this.#lists.read(parts, () => ({ interval: true }), signal);
    const objectCounts = await parts.read(() => this.#counts.objectCounts(signal));
    await this.#writer.applyTree({ nodes: poll, objectCounts });
    parts.throwIfFailed();
    this.#unknown.settle(this.#writer.state.unknownIds());
    return { complete };
  }
}
