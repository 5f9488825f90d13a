import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { MemoryShare } from "../lib/memory-budget.ts";
import { isUnchanged } from "../model/equality.ts";
import type { NodeState } from "../model/node-state.ts";
import type { ServerState } from "../model/server-state.ts";
import { NODE_KINDS, type NodePoll, ROOT_ID } from "../model/tree.ts";
import type { ListOptions, MonitoringApi } from "../prtg/monitoring-api.ts";
import {
  fieldsWith,
  NODE_FIELDS,
  type NodeKind,
  type NodeRecord,
  SECTION_FACTS,
  type StateFact,
} from "../prtg/node-record.ts";
import type { ListResult } from "../prtg/records.ts";
import { isOutOfReach } from "./failures.ts";

/** Such a list is one page, with room for new objects. */
const MAX_OBJECTS = 2_000;
type NodeRun = "status" | "tree";
/** Then the lists of each kind and the server's counts are read again, whatever the schedule. */
const MAX_AGE_MS = 30 * 60_000;
/** After so many differences in a row from the lists of each kind, the list is not used. */
const MAX_DIFFERENCES = 3;
/** Then try again: the server may be updated. */
const PAUSE_MS = 60 * 60_000;

export interface AllNodesOptions {
  readonly api: Pick<MonitoringApi, "allNodes">;
  readonly clock: Clock;
  readonly log: Logger;
  /** The process reads so many servers that requests take most of its CPU time. */
  readonly isOneOfMany: () => boolean;
}

/**
 * Reads all nodes of a small server in one list instead of four, which the CPU budget of 500 servers needs. If the list
 * contains anything new, the caller reads the lists of each kind: only they change the tree.
 */
export class AllNodesReader {
  readonly #options: AllNodesOptions;
  readonly #refusals = new LogOnChange();
  /** The last lists of each kind were complete. */
  readonly #isComplete: Record<NodeRun, boolean> = { status: false, tree: false };
  #hasServerCounts = false;
  /** Monotonic time of the last lists of each kind. */
  readonly #comparedAt: Record<NodeRun, number> = { status: 0, tree: 0 };
  #differences = 0;
  #isDifferent = false;
  /** Monotonic. */
  #pausedTo = Number.NEGATIVE_INFINITY;

  constructor(options: AllNodesOptions) {
    this.#options = options;
  }

  isUsable(run: NodeRun, { tree }: ServerState): boolean {
    const { clock, isOneOfMany } = this.#options;
    return (
      this.#isComplete[run] &&
      clock.monotonic() - this.#comparedAt[run] < MAX_AGE_MS &&
      tree.nodes.size > 0 &&
      tree.nodes.size <= MAX_OBJECTS &&
      tree.absent.size === 0 &&
      clock.monotonic() >= this.#pausedTo &&
      isOneOfMany()
    );
  }

  /**
   * All nodes, if they are those of the state; otherwise `undefined`.
   * @throws ApiError if the server is out of reach, and the signal's reason
   */
  async read(
    state: ServerState,
    options: ListOptions,
    held: MemoryShare,
    signal: AbortSignal,
  ): Promise<NodePoll | undefined> {
    let list: ListResult<NodeRecord> | undefined;
    try {
      list = await this.#options.api.allNodes(options, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isOutOfReach(error)) throw error;
      this.#pause(describeError(error));
      return undefined;
    }
    held.add(list?.bytes ?? 0);
    const poll = list && pollOf(list);
    if (poll === undefined || !isAllKnown(state, poll, options)) {
      this.#isDifferent = true;
      return undefined;
    }
    this.#differences = 0;
    this.#refusals.over();
    return poll;
  }

  /** The server's own counts of sensors per status equal those of its lists. */
  get hasServerCounts(): boolean {
    return this.#hasServerCounts;
  }

  /** After the lists of each kind. `isNew`: they changed the tree. */
  compare(run: NodeRun, { isComplete, isNew }: { readonly isComplete: boolean; readonly isNew: boolean }): void {
    this.#isComplete[run] = isComplete;
    this.#comparedAt[run] = this.#options.clock.monotonic();
    if (!this.#isDifferent) return;
    this.#isDifferent = false;
    this.#differences = isNew ? 0 : this.#differences + 1;
    if (this.#differences === MAX_DIFFERENCES) this.#pause("it differs from the lists of each kind");
  }

  /** After the lists of each kind and the server's own counts. */
  compareCounts(areEqual: boolean): void {
    this.#hasServerCounts = areEqual;
  }

  #pause(why: string): void {
    const { clock, log } = this.#options;
    this.#differences = 0;
    this.#pausedTo = clock.monotonic() + PAUSE_MS;
    if (this.#refusals.record()) log.info(`not using the list of all objects: ${why}`);
  }
}

/** By kind; `undefined` if anything is missing. */
function pollOf({ items, complete, skipped, hidden = 0, refused = [] }: ListResult<NodeRecord>): NodePoll | undefined {
  if (!complete || skipped > 0 || hidden > 0 || refused.length > 0) return undefined;
  const byKind: Record<NodeKind, NodeRecord[]> = { probe: [], group: [], device: [], sensor: [] };
  for (const item of items) if (item.id !== ROOT_ID) byKind[item.kind].push(item);
  return Object.fromEntries(NODE_KINDS.map((kind) => [kind, { items: byKind[kind], complete, skipped }]));
}

function isAllKnown(state: ServerState, poll: NodePoll, options: ListOptions): boolean {
  const steps = isUnchanged(state.tree, poll, Number.POSITIVE_INFINITY);
  const { value } = steps.next();
  return value === true && NODE_KINDS.every((kind) => hasAllFacts(state, poll[kind]?.items ?? [], options));
}

const LIST_FACTS = fieldsWith("inState", true);

/** Whether some record has each fact that the state knows of one of these nodes. */
function hasAllFacts(state: ServerState, records: readonly NodeRecord[], { sections }: ListOptions): boolean {
  const comes = (fact: StateFact, isKnown: (node: NodeState) => boolean): boolean =>
    records.some((record) => record[fact] !== undefined) ||
    !records.some(({ id }) => {
      const node = state.node(id);
      return node !== undefined && isKnown(node);
    });
  return (
    LIST_FACTS.every((fact) => comes(fact, (node) => node[fact] !== undefined)) &&
    SECTION_FACTS.every(
      (fact) =>
        sections?.has(NODE_FIELDS[fact].section) !== true || comes(fact, ({ facts }) => facts[fact] !== undefined),
    )
  );
}
