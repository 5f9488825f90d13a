import type { NodeRecord, StatusSummary } from "../prtg/records.ts";
import { isPaused, type StatusToken } from "../prtg/status.ts";
import type { ExpiryPolicy } from "./expiry-policy.ts";
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

/** What is known of a probe, group, device or sensor beside its place in the tree. `...Until` is monotonic ms. */
export class NodeState {
  readonly id: string;
  /** Unique among the nodes of the server: the index into flat arrays. */
  readonly row: number;
  node: TreeNode;
  /** Status in the last list; undefined before the first. */
  status: StatusToken | undefined = undefined;
  statusUntil = 0;
  /** Milliseconds since the epoch. */
  statusSince: number | undefined = undefined;
  statusSinceUntil = 0;
  /** A list showed the node. */
  listedUntil = 0;
  /** Interval in the last list that had one; the tree keeps it for longer. */
  intervalSeconds: number | undefined = undefined;
  intervalUntil = 0;
  summary: StatusSummary | undefined = undefined;
  summaryUntil = 0;
  /** Milliseconds since the epoch. Holds for good: it is the age of what is no longer served. */
  lastMeasuredAt: number | undefined = undefined;

  constructor(row: number, node: TreeNode) {
    this.id = node.id;
    this.row = row;
    this.node = node;
  }

  /** A list shows the node. What the record does not say stays as it was until that expires. Returns the facts that it had, as bits. */
  update(record: NodeRecord, until: NodeExpiry): number {
    this.status = record.status;
    this.statusUntil = until.state;
    if (record.statusSince !== undefined) {
      this.statusSince = record.statusSince;
      this.statusSinceUntil = until.state;
    }
    this.listedUntil = until.property;
    if (record.intervalSeconds !== undefined) {
      this.intervalSeconds = record.intervalSeconds;
      this.intervalUntil = until.property;
    }
    if (record.summary === undefined) return NODE_FACTS.status | NODE_FACTS.properties;
    this.summary = record.summary;
    this.summaryUntil = until.state;
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
}
