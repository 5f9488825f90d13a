import { ApiError, errorObject } from "../../../api-errors.ts";
import { compileFilter } from "../../../filter/compile.ts";
import { treeScope } from "../../../filter/objects/scope.ts";
import type { SimNode, SimStatus, World } from "../../../world/model.ts";
import { isSensor } from "../../../world/objects.ts";
import { operationId } from "../../contract/types.ts";
import type { Call, ProtectedEndpoint } from "../../endpoint.ts";
import { jsonReply, NO_CONTENT, type Reply } from "../../reply.ts";
import { nodeOf } from "../../request-objects.ts";

type Action = "pause" | "resume" | "scan" | "acknowledge";

/**
 * "Action impossible for the current status of the node: WRONG_NODE_STATUS", without a word about which that are. Ours: an
 * action is possible where it changes something.
 * - What is paused for a while can be paused anew, which sets another end; what is paused without end has nothing to gain.
 * - What is paused by its parent, a schedule or the licence cannot be resumed: it is not that which was paused.
 * - Nothing is scanned while it is paused or its probe is away.
 * - Only an alarm that is not acknowledged yet can be acknowledged.
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

interface ActionOptions {
  /** Seconds; 0: without end. */
  readonly duration?: number;
  readonly message?: string;
}

function isPossible(action: Action, status: SimStatus): boolean {
  return POSSIBLE[status].includes(action);
}

/** @throws RequestRefused WRONG_NODE_STATUS */
function applyAction(world: World, action: Action, node: SimNode, now: number, options: ActionOptions): void {
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

type Kind = "probe" | "group" | "device" | "sensor";
/** Sensors alone can be acknowledged. */
type Actable<Of extends Action> = Of extends "acknowledge" ? "sensor" : Kind;

/** Pause, resume, scan and acknowledge: of one object, and of all that fit a filter. */
export const NODE_ACTIONS: readonly ProtectedEndpoint[] = [
  ...(["probe", "group", "device", "sensor"] as const).flatMap((kind) => [
    ...actionOn(kind, "pause"),
    ...actionOn(kind, "resume"),
    ...actionOn(kind, "scan"),
  ]),
  ...actionOn("sensor", "acknowledge"),
];

function actionOn<Of extends Action>(kind: Actable<Of>, action: Of): ProtectedEndpoint[] {
  const capitalized = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as Capitalize<Actable<Of>>;
  const operation = `${action}${capitalized}` as const;
  return [
    { operation: operationId(operation), access: "bearer", handle: (call) => actOnOne(call, kind, action) },
    { operation: operationId(`${operation}s`), access: "bearer", handle: (call) => actOnMany(call, kind, action) },
  ];
}

async function actOnOne(call: Call, kind: Kind, action: Action): Promise<Reply> {
  const options = (await call.readBody<ActionOptions | undefined>()) ?? {};
  applyAction(call.rendering.world, action, nodeOf(call, kind), call.now, options);
  return NO_CONTENT;
}

/** What fits the filter is known before anything is done: the one must not change what the others are. */
async function actOnMany(call: Call, kind: Kind, action: Action): Promise<Reply> {
  const { filter, ...options } = await call.readBody<ActionOptions & { filter: string }>();
  const nodes: readonly SimNode[] = call.visible.nodes(kind);
  const chosen = nodes.filter(compileFilter(filter, treeScope(call.rendering)));
  const results = chosen.map((node) => {
    const failure = failureOf(call, () => applyAction(call.rendering.world, action, node, call.now, options));
    return `{"node":${call.rendering.cache.of(node).reference},"failure":${failure}}`;
  });
  return jsonReply(`[${results.join(",")}]`);
}

/** "In multi-object actions this is reported in the `failure` of that object's action result." */
function failureOf({ requestId }: Call, attempt: () => void): string {
  try {
    attempt();
    return "null";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return errorObject(error.code, error.message, requestId);
  }
}
