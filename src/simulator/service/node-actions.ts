import type { SimNode, SimStatus, World } from "../world/model.ts";
import { ApiError } from "./api-errors.ts";
import { isSensor } from "./subject.ts";

export type Action = "pause" | "resume" | "scan" | "acknowledge";

/**
 * "Action impossible for the current status of the node: WRONG_NODE_STATUS", without a word about which that are. Ours: an
 * action is possible where it changes something.
 * - What is paused for a while can be paused anew, which sets another end; what is paused without end has nothing to gain.
 * - What is paused by its parent, a schedule or the licence cannot be resumed: it is not that which was paused.
 * - Nothing is scanned while it is paused or its probe is away.
 * - Only an alarm that nobody has seen yet can be acknowledged.
 */
const POSSIBLE: Readonly<Record<SimStatus, readonly Action[]>> = {
  none: ["pause", "scan"],
  unknown: ["pause", "scan"],
  collecting: ["pause", "scan"],
  up: ["pause", "scan"],
  warning: ["pause", "scan"],
  down: ["pause", "scan", "acknowledge"],
  disconnected: ["pause"],
  pausedbyuser: ["resume"],
  pausedbydependency: ["pause"],
  pausedbyschedule: ["pause"],
  unusual: ["pause", "scan"],
  pausedbylicense: [],
  pauseduntil: ["pause", "resume"],
  acknowledged: ["pause", "scan"],
  partialdown: ["pause", "scan", "acknowledge"],
};

export interface ActionOptions {
  /** Seconds; 0: without end. */
  readonly duration?: number;
  readonly message?: string;
}

function isPossible(action: Action, status: SimStatus): boolean {
  return POSSIBLE[status].includes(action);
}

/**
 * Does something to a node at a moment.
 * @throws RequestRefused WRONG_NODE_STATUS
 */
export function applyAction(world: World, action: Action, node: SimNode, now: number, options: ActionOptions): void {
  const { status } = world.state(node, now);
  if (!isPossible(action, status)) {
    throw new ApiError("WRONG_NODE_STATUS", `${action} is impossible: the ${node.kind} is ${status}`);
  }
  const { duration = 0, message = "" } = options;
  switch (action) {
    case "pause":
      world.pause(node.id, now, message, endOf(now, duration));
      break;
    case "resume":
      world.resume(node.id, now);
      break;
    case "acknowledge":
      world.acknowledge(node.id, now, message, endOf(now, duration));
      break;
    case "scan":
      for (const sensor of sensorsAt(node)) {
        if (isPossible("scan", world.state(sensor, now).status)) world.scan(sensor.id, now);
      }
      break;
  }
}

const MINUTE_MS = 60_000;

/** "Rounded up to full minutes"; undefined where there is no end. */
function endOf(now: number, seconds: number): number | undefined {
  return seconds === 0 ? undefined : now + Math.ceil((seconds * 1000) / MINUTE_MS) * MINUTE_MS;
}

function* sensorsAt(node: SimNode): Generator<SimNode> {
  if (isSensor(node)) yield node;
  else for (const child of node.children) yield* sensorsAt(child);
}
