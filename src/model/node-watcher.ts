import type { NodeState } from "./node-state.ts";
import type { NodePoll, TreeNode } from "./tree.ts";
import type { ClockReading } from "./update-context.ts";

/**
 * Hears, within the change, what a poll tells of nodes. Beside the observer, which a reload exchanges, a state has one watcher
 * that may live as long as it does.
 */
export interface NodeWatcher {
  pollBegan(): void;
  /** First those that are gone: the row of one may be given to another at once. */
  nodeRemoved(node: NodeState): void;
  nodeAdded(node: NodeState): void;
  /** Its names, place or properties differ from `before`. */
  nodeReplaced(node: NodeState, before: TreeNode): void;
  /** A list showed it: what it says is taken over. After the calls above. */
  nodeListed(node: NodeState): void;
  /** All of the poll is told. Not called for a poll that could not be taken over. */
  pollEnded(poll: NodePoll, now: ClockReading): void;
}
