import type { MemoryShare } from "../lib/memory-budget.ts";
import type { ServerState } from "../model/server-state.ts";
import type { NodePoll } from "../model/tree.ts";
import { ApiError } from "../prtg/api-error.ts";
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
import { isOfServer } from "../prtg/request/circuit-breaker.ts";
import { STATUS_TOKENS } from "../prtg/status.ts";
import type { PollResult } from "./collector.ts";
import { PartialPoll } from "./failures.ts";
import type { NodeGaps, PolledServer } from "./polled-server.ts";

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
  { connection, history: { nodes: gaps }, writer, memory, sections }: PolledServer,
  signal: AbortSignal,
): Promise<PollResult> {
  const { api, allNodes } = connection;
  const optionsFor = (kind?: NodeKind) => ({ sections: sectionsOf("tree", sections, kind) });
  return memory.lend(async (held) => {
    const parts = new PartialPoll(signal);
    const readAll = () => allNodes.read(writer.state, optionsFor(), held, signal);
    const known = allNodes.isUsable("tree", writer.state) ? (await parts.read(readAll))?.value : undefined;
    if (known !== undefined) {
      const objectCounts = await parts.read(() => gaps.objects(api, signal));
      await writer.applyTree({ nodes: known, objectCounts });
      signal.throwIfAborted();
      return { complete: true, error: parts.error };
    }
    const { lists, complete } = await readNodeLists(api, { gaps, parts, optionsFor, held }, signal);
    const objectCounts = await parts.read(() => gaps.objects(api, signal));
    const before = writer.state.tree;
    const nodes = connection.withProbesAbove(lists);
    await writer.applyTree({ nodes, deselected: connection.leaving(writer.state), objectCounts });
    connection.keepFresh(lists);
    allNodes.compare("tree", { isComplete: complete, isNew: writer.state.tree !== before });
    signal.throwIfAborted();
    if (parts.error === undefined) gaps.parents.settle(writer.state.unknownIds());
    return { complete, error: parts.error };
  });
}

/** Statuses of sensors, devices, groups and probes, and the number of sensors in each. */
export function pollStatus(
  { connection, history: { nodes: gaps, health }, writer, memory, sections, clock }: PolledServer,
  signal: AbortSignal,
): Promise<PollResult> {
  const { api, allNodes } = connection;
  const optionsFor = (kind?: NodeKind) => ({ sections: sectionsOf("status", sections, kind) });
  return memory.lend(async (held) => {
    const parts = new PartialPoll(signal);
    const readAll = () => allNodes.read(writer.state, optionsFor(), held, signal);
    const known = allNodes.isUsable("status", writer.state) ? (await parts.read(readAll))?.value : undefined;
    // As a check of the health would fail, which this list replaces.
    if (parts.error instanceof ApiError && isOfServer(parts.error)) health.hasFailed = true;
    if (known !== undefined) {
      health.listedAt = clock.monotonic();
      const statusSummary = allNodes.hasServerCounts
        ? { value: undefined }
        : await parts.read(() => gaps.statuses(api, signal));
      await writer.applyTree({ nodes: known, statusSummary });
      signal.throwIfAborted();
      return { complete: true, error: parts.error };
    }
    const statusSummary = await parts.read(() => gaps.statuses(api, signal));
    // The tree does not ask for these sections.
    const incomplete = new Set(READING_ORDER.filter((kind) => optionsFor(kind).sections.size > 0));
    const except = connection.takeFresh().difference(incomplete);
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
  /** The lists that could be read. `parts` has the error of the others. */
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
