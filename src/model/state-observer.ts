import type { Channel } from "./channel.ts";
import type { Count } from "./counts.ts";
import type { Detail } from "./detail.ts";
import type { NodeState } from "./node-state.ts";

export interface KnownVersion {
  /** There is one of a server. */
  readonly row: 0;
  readonly version: string;
  /** Monotonic ms. */
  readonly until: number;
}

/**
 * Hears of each change of a server's state at once, within the change. `facts`: those that the change delivers, even where they are what they were, as bits;
 * they may be what they were, and hold for longer. `now` is monotonic ms.
 */
export interface StateObserver {
  nodeChanged(node: NodeState, facts: number, now: number): void;
  nodeRemoved(node: NodeState): void;
  channelChanged(channel: Channel, facts: number, now: number): void;
  channelRemoved(channel: Channel): void;
  statusCounted(count: Count, now: number): void;
  objectsCounted(count: Count, now: number): void;
  objectCountRemoved(count: Count): void;
  versionTold(version: KnownVersion, now: number): void;
  detailTold(detail: Detail, now: number): void;
  detailRemoved(detail: Detail): void;
}

/** For a state that only others read. */
export const NO_OBSERVER: StateObserver = {
  nodeChanged: () => undefined,
  nodeRemoved: () => undefined,
  channelChanged: () => undefined,
  channelRemoved: () => undefined,
  statusCounted: () => undefined,
  objectsCounted: () => undefined,
  objectCountRemoved: () => undefined,
  versionTold: () => undefined,
  detailTold: () => undefined,
  detailRemoved: () => undefined,
};
