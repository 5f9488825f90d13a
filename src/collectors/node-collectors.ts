import type { MemoryShare } from "../lib/memory-budget.ts";
import type { ServerState } from "../model/server-state.ts";
import type { NodePoll } from "../model/tree.ts";
import type { ParentKind } from "../projection/shape.ts";
import type { NodeKind, StatusSummary } from "../prtg/records.ts";
import { STATUS_TOKENS } from "../prtg/status.ts";
import type { Collector, RunResult } from "./collector.ts";
import { PartialPoll } from "./partial-poll.ts";
import type { ServerReader } from "./server-reader.ts";
import type { StateWriter } from "./state-writer.ts";

export interface TreeCollectorOptions {
  readonly reader: ServerReader;
  readonly writer: StateWriter;
}

/** Names, places in the tree, properties, and how many objects there are. */
export class TreeCollector implements Collector {
  readonly name = "tree";
  readonly #options: TreeCollectorOptions;

  constructor(options: TreeCollectorOptions) {
    this.#options = options;
  }

  run(signal: AbortSignal): Promise<RunResult> {
    return this.#options.reader.memory.lend((held) => this.#poll(held, signal));
  }

  async #poll(held: MemoryShare, signal: AbortSignal): Promise<RunResult> {
    const { reader, writer } = this.#options;
    const { nodes, counts, unknownParents, allNodes } = reader;
    const parts = new PartialPoll(signal);
    if (allNodes.isWanted("tree", writer.state)) {
      const all = await parts.read(() => allNodes.read("tree", writer.state, { interval: true }, held, signal));
      if (all?.value !== undefined) return this.#applyAll(all.value, parts, signal);
    }
    const lists = await nodes.read(parts, { optionsFor: () => ({ interval: true }), held }, signal);
    const objectCounts = await parts.read(() => counts.objectCounts(signal));
    const left = reader.leaving(writer.state);
    const before = writer.state.tree;
    await writer.applyTree({ nodes: lists.poll, left, objectCounts });
    reader.broughtLists.taken(lists.poll);
    allNodes.listed("tree", { isComplete: lists.complete, isNew: writer.state.tree !== before });
    parts.throwIfFailed();
    unknownParents.settle(writer.state.unknownIds());
    return { complete: lists.complete };
  }

  /** `nodes`: all there are, and nothing new among them. */
  async #applyAll(nodes: NodePoll, parts: PartialPoll, signal: AbortSignal): Promise<RunResult> {
    const { reader, writer } = this.#options;
    const objectCounts = await parts.read(() => reader.counts.objectCounts(signal));
    await writer.applyTree({ nodes, objectCounts });
    parts.throwIfFailed();
    return { complete: true };
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
    const parts = new PartialPoll(signal);
    if (reader.allNodes.isWanted("status", writer.state)) {
      const options = { statusSummary: countedKinds.size > 0 };
      const all = await parts.read(() => reader.allNodes.read("status", writer.state, options, held, signal));
      if (all?.value !== undefined) return this.#applyAll(all.value, parts, signal);
    }
    const statusSummary = await parts.read(() => reader.counts.statusSummary(signal));
    const counted: ReadonlySet<NodeKind> = countedKinds;
    const optionsFor = (kind: NodeKind) => (counted.has(kind) ? { statusSummary: true } : {});
    // Those that are counted have more in their lists than the tree asks for.
    const except = reader.broughtLists.use().difference(counted);
    const { poll, complete } = await reader.nodes.read(parts, { optionsFor, except, held }, signal);
    const before = writer.state.tree;
    await writer.applyTree({ nodes: poll, left: reader.leaving(writer.state), statusSummary });
    reader.allNodes.listed("status", { isComplete: complete, isNew: writer.state.tree !== before });
    reader.allNodes.counted(statusSummary !== undefined && isCountedAlike(statusSummary.value, writer.state));
    if (reader.unknownParents.areNew(writer.state.unknownIds())) requestTree();
    parts.throwIfFailed();
    return { complete };
  }

  /** `nodes`: all there are. */
  async #applyAll(nodes: NodePoll, parts: PartialPoll, signal: AbortSignal): Promise<RunResult> {
    const { reader, writer } = this.#options;
    const { counts, allNodes } = reader;
    const statusSummary = allNodes.isCountedAlike
      ? { value: undefined }
      : await parts.read(() => counts.statusSummary(signal));
    await writer.applyTree({ nodes, statusSummary });
    parts.throwIfFailed();
    return { complete: true };
  }
}

/** Whether the server counts the sensors that are known, so that its own counts tell nothing more. */
function isCountedAlike(summary: StatusSummary | undefined, { sensorsByStatus }: ServerState): boolean {
  if (summary === undefined) return true;
  return STATUS_TOKENS.every((token) => (summary.counts.get(token) ?? 0) === (sensorsByStatus.get(token) ?? 0));
}
