import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { MemoryShare } from "../lib/memory-budget.ts";
import { showsNothingNew } from "../model/equality.ts";
import type { NodeState } from "../model/node-state.ts";
import type { ServerState } from "../model/server-state.ts";
import { NODE_KINDS, type NodePoll, ROOT_ID } from "../model/tree.ts";
import type { MonitoringApi, NodeListOptions } from "../prtg/monitoring-api.ts";
import type { ListResult, NodeKind, NodeRecord } from "../prtg/records.ts";
import { isOutOfReach } from "./partial-poll.ts";

/** Objects of a small server: the list of all of them is one page, with room for those that come. */
const MAX_OBJECTS = 2_000;
/** The collectors that read nodes. */
type NodeRun = "status" | "tree";
/**
 * After so many polls in a row, half an hour by default, each kind is read by its own list once more, and so are the server's own
 * counts.
 */
const MAX_POLLS: Readonly<Record<NodeRun, number>> = { status: 60, tree: 5 };
/** The list showed something else than those of its kinds so often in a row: it is another one. */
const MAX_DIFFERENCES = 3;
/** Then it is not asked for; the server may be updated. */
const REST_MS = 60 * 60_000;

export interface AllNodesReaderOptions {
  readonly api: Pick<MonitoringApi, "allNodes">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether the process reads so many servers that their requests are what it works most for. */
  readonly isOneOfMany: () => boolean;
}

/** What came of reading the lists of each kind. */
export interface ListedNodes {
  /** All were there, and complete. */
  readonly isComplete: boolean;
  /** They showed something else than what was known. */
  readonly isNew: boolean;
}

/**
 * Reads all nodes of a small server by one list in place of four, while that shows just what the four have shown before: with
 * hundreds of small servers the requests are what takes the processor time. What changes the tree are only the lists of each kind:
 * where the one list shows anything new, they are read in its place.
 */
export class AllNodesReader {
  readonly #options: AllNodesReaderOptions;
  readonly #refused = new LogOnChange();
  /** The last lists of each kind that these runs read were all there, and complete. */
  readonly #areListed: Record<NodeRun, boolean> = { status: false, tree: false };
  #isCountedAlike = false;
  /** In a row, of statuses and of the tree. */
  readonly #polls: Record<NodeRun, number> = { status: 0, tree: 0 };
  #differences = 0;
  #isDifferent = false;
  /** Monotonic. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(options: AllNodesReaderOptions) {
    this.#options = options;
  }

  /** Whether the list is to be asked for. */
  isWanted(run: NodeRun, { tree }: ServerState): boolean {
    const { clock, isOneOfMany } = this.#options;
    return (
      this.#areListed[run] &&
      this.#polls[run] < MAX_POLLS[run] &&
      tree.nodes.size > 0 &&
      tree.nodes.size <= MAX_OBJECTS &&
      tree.absent.size === 0 &&
      clock.monotonic() >= this.#restsUntil &&
      isOneOfMany()
    );
  }

  /**
   * All nodes, which are those of the state; undefined where the lists of each kind are to be read.
   * @throws ApiError where the server is out of reach, and the signal's reason when it aborts
   */
  async read(
    run: NodeRun,
    state: ServerState,
    options: NodeListOptions,
    held: MemoryShare,
    signal: AbortSignal,
  ): Promise<NodePoll | undefined> {
    let list: ListResult<NodeRecord> | undefined;
    try {
      list = await this.#options.api.allNodes(options, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isOutOfReach(error)) throw error;
      this.#rest(describeError(error));
      return undefined;
    }
    held.add(list?.bytes ?? 0);
    const poll = list && pollOf(list);
    if (poll === undefined || !isAllKnown(state, poll, options)) {
      this.#isDifferent = true;
      return undefined;
    }
    this.#polls[run]++;
    this.#differences = 0;
    this.#refused.over();
    return poll;
  }

  /** The server counts the sensors per status as its list shows them. */
  get isCountedAlike(): boolean {
    return this.#isCountedAlike;
  }

  /** The lists of each kind were read. */
  listed(run: NodeRun, { isComplete, isNew }: ListedNodes): void {
    this.#areListed[run] = isComplete;
    this.#polls[run] = 0;
    if (!this.#isDifferent) return;
    this.#isDifferent = false;
    this.#differences = isNew ? 0 : this.#differences + 1;
    if (this.#differences === MAX_DIFFERENCES) this.#rest("it shows something else than the lists of each kind");
  }

  /** The server's own counts were read beside the lists. */
  counted(isAlike: boolean): void {
    this.#isCountedAlike = isAlike;
  }

  #rest(why: string): void {
    const { clock, log } = this.#options;
    this.#differences = 0;
    this.#restsUntil = clock.monotonic() + REST_MS;
    if (this.#refused.record()) log.info(`the list of all objects is not used: ${why}`);
  }
}

/** By kind; undefined where the list is not complete in every way. */
function pollOf({ items, complete, skipped, hidden = 0, refused = [] }: ListResult<NodeRecord>): NodePoll | undefined {
  if (!complete || skipped > 0 || hidden > 0 || refused.length > 0) return undefined;
  const byKind: Record<NodeKind, NodeRecord[]> = { probe: [], group: [], device: [], sensor: [] };
  for (const item of items) if (item.id !== ROOT_ID) byKind[item.kind].push(item);
  return Object.fromEntries(NODE_KINDS.map((kind) => [kind, { items: byKind[kind], complete, skipped }]));
}

function isAllKnown(state: ServerState, poll: NodePoll, options: NodeListOptions): boolean {
  const steps = showsNothingNew(state.tree, poll, Number.POSITIVE_INFINITY);
  const { value } = steps.next();
  return value === true && NODE_KINDS.every((kind) => tellsAsMuch(state, poll[kind]?.items ?? [], options));
}

/** What lists told of a node, and whether a record tells it. */
const TOLD: readonly {
  /** Undefined: always. */
  readonly isAskedFor?: (options: NodeListOptions) => boolean;
  readonly isKnown: (node: NodeState) => boolean;
  readonly isTold: (record: NodeRecord) => boolean;
}[] = [
  { isKnown: ({ statusSince }) => statusSince !== undefined, isTold: ({ statusSince }) => statusSince !== undefined },
  { isKnown: ({ message }) => message !== undefined, isTold: ({ message }) => message !== undefined },
  { isKnown: ({ lastUp }) => lastUp !== undefined, isTold: ({ lastUp }) => lastUp !== undefined },
  { isKnown: ({ lastDown }) => lastDown !== undefined, isTold: ({ lastDown }) => lastDown !== undefined },
  {
    isAskedFor: ({ statusSummary = false }) => statusSummary,
    isKnown: ({ summary }) => summary !== undefined,
    isTold: ({ summary }) => summary !== undefined,
  },
  {
    isAskedFor: ({ interval = false }) => interval,
    isKnown: ({ intervalSeconds }) => intervalSeconds !== undefined,
    isTold: ({ intervalSeconds }) => intervalSeconds !== undefined,
  },
];

/** Whether the records of a kind tell of some node whatever other lists told of some. */
function tellsAsMuch(state: ServerState, records: readonly NodeRecord[], options: NodeListOptions): boolean {
  return TOLD.every(({ isAskedFor, isKnown, isTold }) => {
    if (isAskedFor?.(options) === false || records.some(isTold)) return true;
    return !records.some(({ id }) => {
      const node = state.node(id);
      return node !== undefined && isKnown(node);
    });
  });
}
