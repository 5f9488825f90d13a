import type { Channel } from "./channel.ts";
import type { Count } from "./counts.ts";
import type { Detail } from "./detail.ts";
import type { NodeState } from "./node-state.ts";

export interface KnownVersion {
  readonly row: 0;
  readonly version: string;
  readonly expiresAt: number;
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
  onStatusCount(count: Count, now: number): void;
  onObjectCount(count: Count, now: number): void;
  onObjectCountRemoval(count: Count): void;
  onVersion(version: KnownVersion, now: number): void;
  onDetail(detail: Detail, now: number): void;
  onDetailRemoval(detail: Detail): void;
}

export const NO_OBSERVER: StateObserver = {
  onNodeChange: () => undefined,
  onNodeRemoval: () => undefined,
  onChannelChange: () => undefined,
  onChannelRemoval: () => undefined,
  onStatusCount: () => undefined,
  onObjectCount: () => undefined,
  onObjectCountRemoval: () => undefined,
  onVersion: () => undefined,
  onDetail: () => undefined,
  onDetailRemoval: () => undefined,
};
