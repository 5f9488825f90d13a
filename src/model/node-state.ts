import type { NodeRecord, StatusSummary } from "../prtg/records.ts";
import { isPaused, type StatusToken } from "../prtg/status.ts";
import { sameSummary } from "./equality.ts";
import type { ExpiryPolicy } from "./expiry-policy.ts";
import { NumberRows, numberAt, startOfRow } from "./number-rows.ts";
import type { TreeNode } from "./tree.ts";

/** Facts of a node that a change delivers, even where they are what they were; as bits. */
export const NODE_FACTS = {
  /** The node: names, place, properties. */
  identity: 1,
  /** Own status, and since when. */
  status: 2,
  /** That it is there, and the scanning interval. */
  properties: 4,
  /** Sensors per status below it. */
  summary: 8,
  /** Sensors only: the newest measurement of any channel. */
  measurement: 16,
} as const;

/** Everything about a node. */
export const ALL_NODE_FACTS = 31;

/** Until when (monotonic ms) what a poll says of nodes holds. */
export interface NodeExpiry {
  readonly state: number;
  readonly property: number;
}

export function nodeExpiry(policy: ExpiryPolicy): NodeExpiry {
  return { state: policy.state(), property: policy.property() };
}

const LAST_UP = 0;
const LAST_DOWN = 1;
const WIDTH = 2;

/** The times of nodes that change with each poll and that no series shows. */
export class NodeTimes extends NumberRows {
  constructor() {
    super(WIDTH);
  }
}

/** Told by no poll yet. */
const NEVER: NodeExpiry = { state: 0, property: 0 };

/**
 * What is known of a probe, group, device or sensor beside its place in the tree. `...Until` is monotonic ms.
 * Until when something holds is kept as what the poll gave all its nodes: as numbers of their own they would be five
 * objects on the heap for each node.
 */
export class NodeState {
  readonly id: string;
  /** Unique among the nodes of the server: the index into flat arrays. */
  readonly row: number;
  node: TreeNode;
  /** Status in the last list; undefined before the first. */
  status: StatusToken | undefined = undefined;
  /** Milliseconds since the epoch. */
  statusSince: number | undefined = undefined;
  /** Interval in the last list that had one; the tree keeps it for longer. */
  intervalSeconds: number | undefined = undefined;
  summary: StatusSummary | undefined = undefined;
  /** Milliseconds since the epoch. Holds for good: it is the age of what is no longer served. */
  lastMeasuredAt: number | undefined = undefined;
  /** Sensors only: the server's words for the status, in the last list. No series shows them. */
  message: string | undefined = undefined;
  #listed = NEVER;
  #sinceTold = NEVER;
  #intervalTold = NEVER;
  #summaryTold = NEVER;
  readonly #times: Float64Array;

  constructor(times: NodeTimes, node: TreeNode) {
    const { row, block } = times.take();
    this.id = node.id;
    this.row = row;
    this.#times = block;
    this.node = node;
  }

  get statusUntil(): number {
    return this.#listed.state;
  }

  /** A list showed the node. */
  get listedUntil(): number {
    return this.#listed.property;
  }

  get statusSinceUntil(): number {
    return this.#sinceTold.state;
  }

  get intervalUntil(): number {
    return this.#intervalTold.property;
  }

  get summaryUntil(): number {
    return this.#summaryTold.state;
  }

  /** Sensors only: when it was last up, as far as a list told; milliseconds since the epoch. */
  get lastUp(): number | undefined {
    return numberAt(this.#times, startOfRow(this.row, WIDTH) + LAST_UP);
  }

  /** Sensors only: when it was last down, as far as a list told; milliseconds since the epoch. */
  get lastDown(): number | undefined {
    return numberAt(this.#times, startOfRow(this.row, WIDTH) + LAST_DOWN);
  }

  /**
   * A list shows the node. What the record does not say stays as it was until that expires.
   * @param until The same object for all records of the list: it is kept.
   * @returns the facts that it had, as bits
   */
  update(record: NodeRecord, until: NodeExpiry): number {
    this.status = record.status;
    this.#listed = until;
    // Kept where it is the same, so that each poll's copy can go.
    if (record.message !== this.message) this.message = record.message;
    this.#tellTime(LAST_UP, record.lastUp);
    this.#tellTime(LAST_DOWN, record.lastDown);
    if (record.statusSince !== undefined) {
      this.statusSince = record.statusSince;
      this.#sinceTold = until;
    }
    if (record.intervalSeconds !== undefined) {
      this.intervalSeconds = record.intervalSeconds;
      this.#intervalTold = until;
    }
    if (record.summary === undefined) return NODE_FACTS.status | NODE_FACTS.properties;
    // Kept where it is the same: nodes are old, and what they refer to lives until a major collection.
    if (this.summary === undefined || !sameSummary(this.summary, record.summary)) this.summary = record.summary;
    this.#summaryTold = until;
    return NODE_FACTS.status | NODE_FACTS.properties | NODE_FACTS.summary;
  }

  /** As the last list said, however long ago. */
  get isPaused(): boolean {
    return this.status !== undefined && isPaused(this.status);
  }

  /** Undefined where no list told, or, of other nodes than sensors, none has confirmed it for long; `now`: monotonic ms. */
  knownStatus(now: number): StatusToken | undefined {
    return this.node.kind === "sensor" || this.statusUntil > now ? this.status : undefined;
  }

  #tellTime(member: number, at: number | undefined): void {
    if (at !== undefined) this.#times[startOfRow(this.row, WIDTH) + member] = at;
  }
}
