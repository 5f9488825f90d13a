import type { MemoryShare } from "../lib/memory-budget.ts";
import type { ParentKind } from "../projection/shape.ts";
import type { NodeKind } from "../prtg/records.ts";
import type { Collector, RunResult } from "./collector.ts";
import { PartialPoll } from "./partial-poll.ts";
import type { ServerReader } from "./server-reader.ts";
import type { StateWriter } from "./state-writer.ts";

/** Names, places in the tree, properties, and how many objects there are. */
export class TreeCollector implements Collector {
  readonly name = "tree";
  readonly #reader: ServerReader;
  readonly #writer: StateWriter;

  constructor(reader: ServerReader, writer: StateWriter) {
    this.#reader = reader;
    this.#writer = writer;
  }

  run(signal: AbortSignal): Promise<RunResult> {
    return this.#reader.memory.lend((held) => this.#poll(held, signal));
  }

  async #poll(held: MemoryShare, signal: AbortSignal): Promise<RunResult> {
    const { nodes, counts, unknownParents } = this.#reader;
    const parts = new PartialPoll(signal);
    const { poll, complete } = await nodes.read(parts, () => ({ interval: true }), signal, held);
    const objectCounts = await parts.read(() => counts.objectCounts(signal));
    await this.#writer.applyTree({ nodes: poll, left: this.#reader.leaving(this.#writer.state), objectCounts });
    parts.throwIfFailed();
    unknownParents.settle(this.#writer.state.unknownIds());
    return { complete };
  }
}

export interface StatusCollectorOptions {
  readonly reader: ServerReader;
  readonly writer: StateWriter;
  /** Kinds of objects below which the server counts the sensors per status. */
  readonly countedKinds: ReadonlySet<ParentKind>;
  /** Objects that no list has shown were met. */
  readonly requestTree: () => void;
}

/** States of sensors, devices, groups and probes, and how many sensors are in each. */
export class StatusCollector implements Collector {
  readonly name = "status";
  readonly #options: StatusCollectorOptions;

  constructor(options: StatusCollectorOptions) {
    this.#options = options;
  }

  run(signal: AbortSignal): Promise<RunResult> {
    return this.#options.reader.memory.lend((held) => this.#poll(held, signal));
  }

  async #poll(held: MemoryShare, signal: AbortSignal): Promise<RunResult> {
    const { reader, writer, countedKinds, requestTree } = this.#options;
    const { nodes, counts, unknownParents } = reader;
    const parts = new PartialPoll(signal);
    const statusSummary = await parts.read(() => counts.statusSummary(signal));
    const counted: ReadonlySet<NodeKind> = countedKinds;
    const options = (kind: NodeKind) => (counted.has(kind) ? { statusSummary: true } : {});
    const { poll, complete } = await nodes.read(parts, options, signal, held);
    await writer.applyTree({ nodes: poll, left: reader.leaving(writer.state), statusSummary });
    if (unknownParents.areNew(writer.state.unknownIds())) requestTree();
    parts.throwIfFailed();
    return { complete };
  }
}
