import type { Channel } from "./channel.ts";
import type { Count } from "./counts.ts";
import type { Detail } from "./detail.ts";
import type { NodeState } from "./node-state.ts";

export interface KnownVersion {
  readonly row: 0;
  readonly version: string;
  readonly until: number;
}

/**
 * Observes a state within each change. `facts`: what the change reports, as bits. It may be equal to before and only
 * expire later. `now`: monotonic ms.
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
