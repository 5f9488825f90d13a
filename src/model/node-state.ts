import { type NodeRecord, SECTION_FACTS, type SectionFact } from "../prtg/node-record.ts";
import { isPaused, STATUSES, type StatusGroup, type StatusToken } from "../prtg/status.ts";
import { sameSummary } from "./equality.ts";
import { NumberRows, numberAt, startOfRow } from "./rows.ts";
import type { TreeNode } from "./tree.ts";
import type { ExpiryPolicy } from "./update-context.ts";

/** What a change reports about a node, as bits. The facts may be equal to before. */
export const NODE_FACTS = {
  identity: 1,
  status: 2,
  /** Presence, scanning interval and dependency. */
  properties: 4,
  summary: 8,
  measurement: 16,
} as const;

export const ALL_NODE_FACTS = 31;

/** Monotonic ms. */
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

/** Times that change with each poll and have no series. */
export const nodeTimes = (): NumberRows => new NumberRows(WIDTH);

type SectionFacts = { -readonly [Name in SectionFact]?: NodeRecord[Name] };

const NEVER: NodeExpiry = { state: 0, property: 0 };

/** Last state of a sensor from before its acknowledgement. */
export interface DownBefore {
  readonly message: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number | undefined;
}

/** PRTG replaces them when a user acknowledges. Only acknowledged sensors are here, so that others take no memory. */
const statesBefore = new WeakMap<NodeState, DownBefore>();

/**
 * The state of a probe, group, device or sensor. All nodes of a poll share its expiry object,
 * which saves five numbers on the heap per node.
 */
export class NodeState {
  readonly id: string;
  /** Index into flat arrays. */
  readonly row: number;
  node: TreeNode;
  /** As of the last list. */
  status: StatusToken | undefined = undefined;
  /** Milliseconds since the epoch. */
  statusSince: number | undefined = undefined;
  /** As of the last list with their section. */
  readonly facts: SectionFacts = {};
  /** Milliseconds since the epoch. Does not expire. */
  lastMeasuredAt: number | undefined = undefined;
  /** Message of a sensor. It has no series. */
  message: string | undefined = undefined;
  /** Of status and presence. */
  listExpiry = NEVER;
  statusSinceExpiry = NEVER;
  readonly #expiries: { [Name in SectionFact]?: NodeExpiry } = {};
  readonly #times: Float64Array;

  constructor(times: NumberRows, node: TreeNode) {
    const { row, block } = times.take();
    this.id = node.id;
    this.row = row;
    this.#times = block;
    this.node = node;
  }

  /** Milliseconds since the epoch. `undefined` if no poll confirms it. `now`: monotonic ms. */
  statusSinceAt(now: number): number | undefined {
    return this.statusSinceExpiry.state > now ? this.statusSince : undefined;
  }

  /** Only of an acknowledged sensor that the exporter saw down. */
  get downBefore(): DownBefore | undefined {
    return statesBefore.get(this);
  }

  expiryOf(name: SectionFact): NodeExpiry {
    return this.#expiries[name] ?? NEVER;
  }

  /** Sensors only, milliseconds since the epoch. */
  get lastUp(): number | undefined {
    return numberAt(this.#times, startOfRow(this.row, WIDTH) + LAST_UP);
  }

  /** Sensors only, milliseconds since the epoch. */
  get lastDown(): number | undefined {
    return numberAt(this.#times, startOfRow(this.row, WIDTH) + LAST_DOWN);
  }

  /**
   * Keeps what the record lacks until that expires. @param expiry Shared by all records of the list. @returns facts
   * as bits
   */
  update(record: NodeRecord, expiresAt: NodeExpiry): number {
    if (record.status !== this.status) this.#keepDownBefore(record.status);
    this.status = record.status;
    this.listExpiry = expiresAt;
    // Keeps an equal text, so that the poll's copy can go.
    if (record.message !== this.message) this.message = record.message;
    this.#setTime(LAST_UP, record.lastUp);
    this.#setTime(LAST_DOWN, record.lastDown);
    if (record.statusSince !== undefined) {
      this.statusSince = record.statusSince;
      this.statusSinceExpiry = expiresAt;
    }
    for (const name of SECTION_FACTS) this.#keep(name, record[name], expiresAt);
    const { status, properties, summary } = NODE_FACTS;
    return record.summary === undefined ? status | properties : status | properties | summary;
  }

  #keepDownBefore(next: StatusToken | undefined): void {
    const [from, to] = [groupOf(this.status), groupOf(next)];
    if (from === "acknowledged" && to !== "acknowledged") statesBefore.delete(this);
    if (from === "down" && to === "acknowledged") {
      statesBefore.set(this, { message: this.message, since: this.statusSince });
    }
  }

  #keep<Name extends SectionFact>(name: Name, value: SectionFacts[Name], expiresAt: NodeExpiry): void {
    if (value === undefined) return;
    // Keeps an equal summary: a new one would live until a major collection.
    if (!isSame(this.facts[name], value)) this.facts[name] = value;
    this.#expiries[name] = expiresAt;
  }

  /** As of the last list. */
  get isPaused(): boolean {
    return this.status !== undefined && isPaused(this.status);
  }

  #setTime(member: number, at: number | undefined): void {
    if (at !== undefined) this.#times[startOfRow(this.row, WIDTH) + member] = at;
  }
}

function groupOf(status: StatusToken | undefined): StatusGroup | undefined {
  return status && STATUSES[status].group;
}

function isSame(a: NodeRecord[SectionFact], b: NodeRecord[SectionFact]): boolean {
  return a === b || (typeof a === "object" && typeof b === "object" && sameSummary(a, b));
}
