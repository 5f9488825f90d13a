import type { StatusToken } from "../prtg/status.ts";
import type { Channel } from "./channel.ts";
import type { Count } from "./counts.ts";
import type { NodeState } from "./node-state.ts";
import type { Outage, OutageDevice } from "./outages.ts";
import type { NodePoll, Tree, TreeNode } from "./tree.ts";
import type { ClockReading } from "./update-context.ts";

export interface KnownVersion {
  readonly row: 0;
  readonly version: string;
  readonly expiresAt: number;
}

/** Facts about the server itself. */
export interface ServerRecords {
  readonly statusCount: Count;
  readonly objectCount: Count;
  readonly version: KnownVersion;
  readonly detail: Detail;
  readonly outage: Outage;
  readonly outageDevice: OutageDevice;
}

/**
 * Observes a state within each change. `facts`: what the change reports, as bits. It may be equal to before and only
 * expire later. `now`: monotonic ms.
 */
export interface StateObserver {
  onNodeChange(node: NodeState, facts: number, now: number): void;
  onNodeRemoval(node: NodeState): void;
  onChannelChange(channel: Channel, facts: number, now: number): void;
  onChannelRemoval(channel: Channel): void;
  onRecord<Kind extends keyof ServerRecords>(kind: Kind, record: ServerRecords[Kind], now: number): void;
  onRecordRemoval<Kind extends keyof ServerRecords>(kind: Kind, record: ServerRecords[Kind]): void;
}

export const NO_OBSERVER: StateObserver = {
  onNodeChange: () => undefined,
  onNodeRemoval: () => undefined,
  onChannelChange: () => undefined,
  onChannelRemoval: () => undefined,
  onRecord: () => undefined,
  onRecordRemoval: () => undefined,
};

export type DetailSubject =
  | { readonly kind: "licenseUsed" | "licenseMax" | "licenseExpiry" | "autodiscoveries" }
  | { readonly kind: "probeConnected"; readonly node: NodeState }
  | { readonly kind: "primaryChannel"; readonly channel: Channel };

/** A number that the collector `details` reads. */
export interface Detail {
  readonly row: number;
  readonly about: DetailSubject;
  readonly value: number;
  readonly expiresAt: number;
}

/** Observes what polls report about nodes. A reload replaces the observer of a state, but not its watcher. */
export interface NodeWatcher {
  onPollStart(): void;
  /** Called first, because added nodes can get the rows of removed ones. */
  onNodeRemoval(node: NodeState): void;
  onNodeAddition(node: NodeState): void;
  onNodeReplacement(node: NodeState, before: TreeNode): void;
  /** Reports that a list confirmed a node, after the calls above. */
  onNodeRecord(node: NodeState): void;
  /** Called only if a list changed the status of a node that had one. @param since Begin of the status before. */
  onStatusChange?(node: NodeState, before: StatusToken, since: number | undefined): void;
  /** Reports the outages after each poll, by `outageKey`, before `onPollEnd`. */
  onOutages?(outages: ReadonlyMap<string, Outage>, tree: Tree): void;
  /** Not called for a poll that failed. */
  onPollEnd(poll: NodePoll, now: ClockReading): void;
}

/** Calls all of them, in this order. */
export function watchTogether(first: NodeWatcher, second: NodeWatcher | undefined): NodeWatcher {
  if (second === undefined) return first;
  const both = [first, second] as const;
  return {
    onPollStart: () => {
      for (const watcher of both) watcher.onPollStart();
    },
    onNodeRemoval: (node) => {
      for (const watcher of both) watcher.onNodeRemoval(node);
    },
    onNodeAddition: (node) => {
      for (const watcher of both) watcher.onNodeAddition(node);
    },
    onNodeReplacement: (node, before) => {
      for (const watcher of both) watcher.onNodeReplacement(node, before);
    },
    onNodeRecord: (node) => {
      first.onNodeRecord(node);
      second.onNodeRecord(node);
    },
    onStatusChange: (node, before, since) => {
      for (const watcher of both) watcher.onStatusChange?.(node, before, since);
    },
    onOutages: (outages, tree) => {
      for (const watcher of both) watcher.onOutages?.(outages, tree);
    },
    onPollEnd: (poll, now) => {
      for (const watcher of both) watcher.onPollEnd(poll, now);
    },
  };
}
