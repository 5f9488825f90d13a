import type { NodeState } from "../model/node-state.ts";
import type { NodeWatcher } from "../model/state-observer.ts";
import { NODE_KINDS, type NodePoll, type TreeNode } from "../model/tree.ts";
import type { ClockReading } from "../model/update-context.ts";
import type { NodeKind } from "../prtg/node-record.ts";
import type { StatusToken } from "../prtg/status.ts";
import type { EventRecord } from "./event.ts";
import { sizeOf } from "./event-queue.ts";
import {
  changeEvents,
  changesBetween,
  type EventContext,
  type LastStatus,
  presenceEvent,
  statusEvent,
} from "./event-records.ts";

/** What one poll shows about one object. */
export interface Finding {
  /** Events in the order of time. Empty if a status is only recorded. */
  readonly events: readonly EventRecord[];
  readonly status?: readonly [id: string, status: LastStatus];
  readonly gone?: string;
}

export interface ChangeDetectorOptions {
  readonly server: string;
  /** The exporter's clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** The device of an object. `undefined` if unknown. */
  readonly deviceOf: EventContext["deviceOf"];
  /** Statuses from an earlier process. If empty, the first poll only records statuses. */
  readonly earlier: ReadonlyMap<string, LastStatus>;
  /** Also report added, removed, renamed and moved objects. */
  readonly structure: boolean;
  /** Whether so many more events of this size fit. */
  readonly hasRoom: (events: number, size: number) => boolean;
  /** Called at the end of a poll. */
  readonly onFindings: (findings: readonly Finding[]) => void;
  /** Called if a status changes again before there is room for its event. */
  readonly onMerged: () => void;
  /** Called for events that are lost. */
  readonly onDropped: (events: number) => void;
}

interface Reported extends LastStatus {
  /** A newer status without room in the queue. */
  deferred?: StatusToken | undefined;
}

/** Complete polls without an object before it counts as gone. */
const REMOVAL_POLLS = 2;

/**
 * Compares each poll with the last reported status of each object. The status moves with its event. Without room for
 * the event it stays, and a later poll finds the change again.
 */
export class ChangeDetector implements NodeWatcher {
  readonly #options: ChangeDetectorOptions;
  readonly #last = new Map<string, Reported>();
  /** Statuses of objects that this process has not seen yet. */
  readonly #earlier: Map<string, LastStatus>;
  /** Kinds that had a complete list: a new object was added later. */
  readonly #knownKinds = new Set<NodeKind>();
  #structure: boolean;
  #completePolls = 0;
  #findings: Finding[] = [];
  /** One time for the whole poll. */
  #seenAt: number | undefined;
  #events = 0;
  #size = 0;

  constructor(options: ChangeDetectorOptions) {
    this.#options = options;
    this.#earlier = new Map(options.earlier);
    this.#structure = options.structure;
  }

  /** Also report added, removed, renamed and moved objects from now on. */
  reportStructure(structure: boolean): void {
    this.#structure = structure;
  }

  snapshot(): Iterable<readonly [id: string, status: LastStatus]> {
    return [...this.#earlier, ...this.#last];
  }

  onPollStart(): void {
    // A poll that failed is compared again.
    this.#findings = [];
    this.#seenAt = undefined;
    this.#events = 0;
    this.#size = 0;
  }

  onNodeRemoval({ id, node }: NodeState): void {
    const wasKnown = this.#last.delete(id);
    this.#earlier.delete(id);
    const events = this.#structure ? [presenceEvent(node, "removed", this.#context)] : [];
    if (wasKnown || events.length > 0) this.#find({ events: this.#fitting(events), gone: id });
  }

  onNodeAddition({ node }: NodeState): void {
    if (!this.#structure || !this.#knownKinds.has(node.kind)) return;
    this.#find({ events: this.#fitting([presenceEvent(node, "added", this.#context)]) });
  }

  onNodeReplacement({ node }: NodeState, before: TreeNode): void {
    if (!this.#structure) return;
    const events = this.#fitting(changeEvents(before, node, this.#context));
    if (events.length > 0) this.#find({ events });
  }

  onNodeRecord(node: NodeState): void {
    const { id, status, statusSince: since } = node;
    if (status === undefined) return;
    const last = this.#last.get(id) ?? this.#begin(id, { status, since });
    // An unknown or earlier time is nothing new.
    if (last.status === status && (since === undefined || since <= (last.since ?? Number.NaN))) {
      if (last.deferred === undefined) return;
      last.deferred = undefined;
      this.#options.onMerged();
      return;
    }
    const next: LastStatus = { status, since: since ?? (status === last.status ? last.since : undefined) };
    const changes = changesBetween(last, status, since, node);
    // Checks before it makes events: there can be hundreds of thousands.
    if (changes.length > 0 && !this.#options.hasRoom(this.#events + changes.length, this.#size)) {
      this.#defer(last, status);
      return;
    }
    const events = changes.map((change) => statusEvent(node.node, change, this.#context));
    const size = events.reduce((sum, event) => sum + sizeOf(event), this.#size);
    if (events.length > 0 && !this.#options.hasRoom(this.#events + events.length, size)) {
      this.#defer(last, status);
      return;
    }
    this.#countMerged(last, status);
    this.#find({ events, status: [id, next] });
  }

  onPollEnd(poll: NodePoll, _now: ClockReading): void {
    for (const kind of NODE_KINDS) if (poll[kind]?.complete === true) this.#knownKinds.add(kind);
    if (NODE_KINDS.every((kind) => poll[kind]?.complete === true)) this.#completePolls++;
    if (this.#completePolls === REMOVAL_POLLS) {
      for (const id of this.#earlier.keys()) this.#find({ events: [], gone: id });
      this.#earlier.clear();
    }
    const findings = this.#findings;
    for (const { status } of findings) if (status !== undefined) this.#last.set(status[0], { ...status[1] });
    this.onPollStart();
    this.#options.onFindings(findings.toSorted(byTime));
  }

  get #context(): EventContext {
    const { server, now, deviceOf } = this.#options;
    this.#seenAt ??= now();
    return { server, now: this.#seenAt, deviceOf };
  }

  /** The first poll of an object continues an earlier process, or records the status. */
  #begin(id: string, current: LastStatus): Reported {
    const earlier = this.#earlier.get(id);
    const last = { ...(earlier ?? current) };
    this.#earlier.delete(id);
    this.#last.set(id, last);
    if (earlier === undefined) this.#find({ events: [], status: [id, current] });
    return last;
  }

  /** A later poll finds the change again. */
  #defer(last: Reported, status: StatusToken): void {
    this.#countMerged(last, status);
    last.deferred = status;
  }

  #countMerged({ deferred }: Reported, status: StatusToken): void {
    if (deferred !== undefined && deferred !== status) this.#options.onMerged();
  }

  #fitting(events: readonly EventRecord[]): readonly EventRecord[] {
    const size = events.reduce((sum, event) => sum + sizeOf(event), this.#size);
    if (events.length === 0 || this.#options.hasRoom(this.#events + events.length, size)) return events;
    this.#options.onDropped(events.length);
    return [];
  }

  #find(finding: Finding): void {
    this.#findings.push(finding);
    this.#events += finding.events.length;
    for (const event of finding.events) this.#size += sizeOf(event);
  }
}

/** Receivers such as Loki refuse events that are much older than the newest. */
function byTime(a: Finding, b: Finding): number {
  return timeOf(a) - timeOf(b);
}

function timeOf({ events }: Finding): number {
  return events[0]?.timestamp ?? 0;
}
