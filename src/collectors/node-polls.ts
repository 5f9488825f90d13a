import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { MemoryBudget, MemoryShare } from "../lib/memory-budget.ts";
import type { ServerState } from "../model/server-state.ts";
import { NODE_KINDS, type NodePoll } from "../model/tree.ts";
import type { ListOptions, MonitoringApi } from "../prtg/monitoring-api.ts";
import {
  NODE_SECTIONS,
  type NodeKind,
  type NodeRecord,
  type NodeSection,
  READING_ORDER,
  type Section,
  type WantedSections,
} from "../prtg/node-record.ts";
import type { ListResult, StatusSummary } from "../prtg/records.ts";
import { STATUS_TOKENS } from "../prtg/status.ts";
import type { AllNodesReader } from "./all-nodes.ts";
import type { PollResult } from "./collector.ts";
import { failureFields, goesOnWithout, PartialPoll, type ReadingName } from "./failures.ts";
import type { StateWriter } from "./state-writer.ts";

export interface NodePollOptions {
  readonly connection: {
    readonly api: MonitoringApi;
    readonly allNodes: AllNodesReader;
    readonly freshLists: FreshLists;
    leaving(state: ServerState): ReadonlySet<string> | undefined;
    withProbesAbove(lists: NodePoll): NodePoll;
  };
  readonly gaps: NodeGaps;
  readonly writer: StateWriter;
  readonly memory: MemoryBudget;
  readonly sections: WantedSections;
}

const NO_KINDS: ReadonlySet<NodeKind> = new Set();

/** The sections that a collector reads. `kind`: of this list. */
export function sectionsOf(
  collector: NodeSection["reader"],
  wanted: WantedSections,
  kind?: NodeKind,
): ReadonlySet<Section> {
  const read = NODE_SECTIONS.filter(({ name, reader }) => {
    const kinds = wanted.get(name) ?? NO_KINDS;
    return reader === collector && (kind === undefined ? kinds.size > 0 : kinds.has(kind));
  });
  return new Set(read.map(({ name }) => name));
}

/** The collectors that read sections which `before` lacks. */
export function readersOfNew(wanted: WantedSections, before: WantedSections): readonly NodeSection["reader"][] {
  return NODE_SECTIONS.filter(({ name }) => {
    return !(wanted.get(name) ?? NO_KINDS).isSubsetOf(before.get(name) ?? NO_KINDS);
  }).map(({ reader }) => reader);
}

/** Names, places in the tree, properties, and numbers of objects. */
export function pollTree(
  { connection, gaps, writer, memory, sections }: NodePollOptions,
  signal: AbortSignal,
): Promise<PollResult> {
  const { api, allNodes, freshLists } = connection;
  const optionsFor = (kind?: NodeKind) => ({ sections: sectionsOf("tree", sections, kind) });
  return memory.lend(async (held) => {
    const parts = new PartialPoll(signal);
    if (allNodes.isUsable("tree", writer.state)) {
      const nodes = (await parts.read(() => allNodes.read(writer.state, optionsFor(), held, signal)))?.value;
      if (nodes !== undefined) {
        const objectCounts = await parts.read(() => gaps.objects(api, signal));
        await writer.applyTree({ nodes, objectCounts });
        signal.throwIfAborted();
        return { complete: true, error: parts.error };
      }
    }
    const { lists, complete } = await readNodeLists(api, { gaps, parts, optionsFor, held }, signal);
    const objectCounts = await parts.read(() => gaps.objects(api, signal));
    const before = writer.state.tree;
    const nodes = connection.withProbesAbove(lists);
    await writer.applyTree({ nodes, deselected: connection.leaving(writer.state), objectCounts });
    freshLists.keep(lists);
    allNodes.compare("tree", { isComplete: complete, isNew: writer.state.tree !== before });
    signal.throwIfAborted();
    if (parts.error === undefined) gaps.parents.settle(writer.state.unknownIds());
    return { complete, error: parts.error };
  });
}

/** Statuses of sensors, devices, groups and probes, and the number of sensors in each. */
export function pollStatus(
  { connection, gaps, writer, memory, sections }: NodePollOptions,
  signal: AbortSignal,
): Promise<PollResult> {
  const { api, allNodes, freshLists } = connection;
  const optionsFor = (kind?: NodeKind) => ({ sections: sectionsOf("status", sections, kind) });
  return memory.lend(async (held) => {
    const parts = new PartialPoll(signal);
    if (allNodes.isUsable("status", writer.state)) {
      const nodes = (await parts.read(() => allNodes.read(writer.state, optionsFor(), held, signal)))?.value;
      if (nodes !== undefined) {
        const statusSummary = allNodes.hasServerCounts
          ? { value: undefined }
          : await parts.read(() => gaps.statuses(api, signal));
        await writer.applyTree({ nodes, statusSummary });
        signal.throwIfAborted();
        return { complete: true, error: parts.error };
      }
    }
    const statusSummary = await parts.read(() => gaps.statuses(api, signal));
    // The tree does not ask for these sections.
    const incomplete = new Set(READING_ORDER.filter((kind) => optionsFor(kind).sections.size > 0));
    const except = freshLists.take().difference(incomplete);
    const { lists, complete } = await readNodeLists(api, { gaps, parts, optionsFor, except, held }, signal);
    const before = writer.state.tree;
    const nodes = connection.withProbesAbove(lists);
    await writer.applyTree({ nodes, deselected: connection.leaving(writer.state), statusSummary });
    allNodes.compare("status", { isComplete: complete, isNew: writer.state.tree !== before });
    allNodes.compareCounts(statusSummary !== undefined && hasCounts(writer.state, statusSummary.value));
    signal.throwIfAborted();
    return { complete, needsTree: gaps.parents.areNew(writer.state.unknownIds()), error: parts.error };
  });
}

/** Whether the server counts the same sensors as the state. */
function hasCounts({ sensorsByStatus }: ServerState, summary: StatusSummary | undefined): boolean {
  if (summary === undefined) return true;
  return STATUS_TOKENS.every((token) => (summary.counts.get(token) ?? 0) === (sensorsByStatus.get(token) ?? 0));
}

export interface NodeListsOptions {
  readonly gaps: Pick<NodeGaps, "list">;
  readonly parts: PartialPoll;
  readonly optionsFor: (kind: NodeKind) => ListOptions;
  /** Skips these kinds. */
  readonly except?: ReadonlySet<NodeKind>;
  readonly held?: MemoryShare | undefined;
}

export interface NodeLists {
  /** Without lists that failed: see `parts`. */
  readonly lists: NodePoll;
  /** Every list is there, and complete. */
  readonly complete: boolean;
}

/** Reads the lists of sensors, devices, groups and probes. Without sensors there is nothing to serve; the other lists may be missing. */
export async function readNodeLists(
  api: MonitoringApi,
  { gaps, parts, optionsFor, except, held }: NodeListsOptions,
  signal: AbortSignal,
): Promise<NodeLists> {
  const lists: { [Kind in NodeKind]?: ListResult<NodeRecord> } = {};
  let complete = true;
  for (const kind of api.readingOrder) {
    if (except?.has(kind) === true) continue;
    const part = await parts.read(() => gaps.list(kind, () => api.nodes(kind, optionsFor(kind), signal)));
    if (part?.value !== undefined) lists[kind] = part.value;
    held?.add(part?.value?.bytes ?? 0);
    complete &&= part?.value?.complete === true;
  }
  return { lists, complete };
}

/**
 * Ids that lists refer to but do not contain. Each one triggers one poll of the tree. If that does not return the object,
 * the user may not see it.
 */
class UnknownParents {
  #requested: ReadonlySet<string> = new Set();

  /** Whether one of them needs a poll of the tree. */
  areNew(unknown: Iterable<string>): boolean {
    const ids = [...unknown];
    if (ids.every((id) => this.#requested.has(id))) return false;
    this.#requested = new Set([...this.#requested, ...ids]);
    return true;
  }

  /** A poll of the tree did not return these. */
  settle(unknown: Iterable<string>): void {
    this.#requested = new Set(unknown);
  }
}

/** Lists and counts that a server lacks: each one is logged once, whichever connection the polls use. */
export class NodeGaps {
  readonly parents = new UnknownParents();
  readonly #log: Logger;
  readonly #missing = new LogOnChange();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `undefined` if the poll continues without the list. */
  list<List>(kind: NodeKind, read: () => Promise<List>): Promise<List | undefined> {
    return this.#read(kind, read, (error) => {
      this.#log.warn(`continuing without the list of ${kind}s: ${describeError(error)}`);
    });
  }

  /** The server's own count of sensors per status. Without it the exporter counts the lists. */
  statuses(api: MonitoringApi, signal: AbortSignal): Promise<StatusSummary | undefined> {
    const report = (error: unknown) => this.#reportCount("sensors per status", error);
    return this.#read("statusSummary", () => api.statusSummary(signal), report);
  }

  /** The server's own count of objects per kind. */
  objects(api: MonitoringApi, signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined> {
    const report = (error: unknown) => this.#reportCount("objects per kind", error);
    return this.#read("objectCounts", () => api.objectCounts(signal), report);
  }

  #reportCount(what: string, error: unknown): void {
    this.#log.warn(failureFields(error), `counting ${what} from the lists: ${describeError(error)}`);
  }

  async #read<Part>(
    reading: ReadingName,
    read: () => Promise<Part>,
    report: (error: unknown) => void,
  ): Promise<Part | undefined> {
    try {
      const found = await read();
      this.#missing.kindOver(reading);
      return found;
    } catch (error) {
      if (!goesOnWithout(reading, error)) throw error;
      if (this.#missing.record(reading)) report(error);
      return undefined;
    }
  }
}

/** After this age, read statuses again. */
const MAX_AGE_MS = 5_000;

/**
 * Lists of the last poll of the tree contain statuses. The first poll of statuses follows at once and does not read them
 * again, which saves a tenth of the requests until the first page of a large server.
 */
export class FreshLists {
  readonly #clock: Clock;
  #kinds = NO_KINDS;
  /** Monotonic. */
  #at = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The state contains these lists. */
  keep(lists: NodePoll): void {
    this.#kinds = new Set(NODE_KINDS.filter((kind) => lists[kind]?.complete === true));
    this.#at = this.#clock.monotonic();
  }

  /** Kinds that the caller can skip once. */
  take(): ReadonlySet<NodeKind> {
    const kinds = this.#kinds;
    this.#kinds = NO_KINDS;
    return this.#clock.monotonic() - this.#at <= MAX_AGE_MS ? kinds : NO_KINDS;
  }
}
