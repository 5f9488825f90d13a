import type { NodeState } from "./node-state.ts";
import type { NodePoll, TreeNode } from "./tree.ts";
import type { ClockReading } from "./update-context.ts";

/** Observes what polls report about nodes. A reload replaces the observer of a state, but not its watcher. */
export interface NodeWatcher {
  onPollStart(): void;
  /** Called first, because added nodes can get the rows of removed ones. */
  onNodeRemoval(node: NodeState): void;
  onNodeAddition(node: NodeState): void;
  onNodeReplacement(node: NodeState, before: TreeNode): void;
  /** After the calls above. */
  onNodeRecord(node: NodeState): void;
  /** Not called for a poll that failed. */
  onPollEnd(poll: NodePoll, now: ClockReading): void;
}
