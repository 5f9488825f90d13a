import { type ManualAction, SensorNode, type TreeNode } from "../nodes/nodes.ts";
import { uniform } from "../noise.ts";
import { RANK, type StatusSpan, statusSpan } from "../scans/status-span.ts";
import { DAY_MS } from "../sensors/trend.ts";
import { addHaltingIncidents, nextHaltingIncident } from "./incidents.ts";
import { lastEpisode, nextStart, type Recurrence, recurrenceInDays } from "./recurrence.ts";

const SENSOR_PAUSE = recurrenceInDays(1, 900, 0.02, 1.3, 0.1);
const DEVICE_PAUSE = recurrenceInDays(2, 100, 0.05, 5, 0.1);
const GROUP_PAUSE = recurrenceInDays(3, 150, 0.05, 4, 0.1);
const DISCONNECT = recurrenceInDays(7, 12, 1 / 1440, 25 / 1440, 1);

const HOUR_MS = 3_600_000;
const NIGHT_BEGINS_MS = 20 * HOUR_MS;
const NIGHT_MS = 10 * HOUR_MS;

/** The last manual action on the node at or before a time. */
export function lastManualAction(node: TreeNode, at: number): ManualAction | undefined {
  return node.manualActions.length === 0 ? undefined : node.manualActions.findLast((action) => action.at <= at);
}

export function manualActionSpan({ at, until, kind, status, message }: ManualAction): StatusSpan {
  const rank = kind === "force" ? RANK.force : RANK.manual;
  return { ...statusSpan({ start: at, end: until, draw: 0 }, status, rank, status === "warning"), message };
}

/** Adds the manual pause and the last random one, whether or not they have ended. */
export function addHalts(node: TreeNode, at: number, spans: StatusSpan[]): void {
  const action = lastManualAction(node, at);
  if (action !== undefined && action.kind !== "resume") spans.push(manualActionSpan(action));
  // Resuming a node also ends a random pause.
  const resumedAt = node.manualActions.findLast((one) => one.kind === "resume" && one.at <= at)?.at ?? -Infinity;
  const add = (one: StatusSpan): void => {
    const cut = one.start < resumedAt && one.end > resumedAt && node.kind !== "probe";
    spans.push(cut ? { ...one, end: resumedAt } : one);
  };
  if (node.incidents.length > 0) addHaltingIncidents(node, at, add);
  if (node.hasRandomHalts) {
    const episode = lastEpisode(haltRecurrence(node), node.spreadIndex, node.salt, at);
    if (node.kind === "probe") add(statusSpan(episode, "disconnected", RANK.disconnected));
    else add(statusSpan(episode, uniform(episode.draw, 3) < 0.7 ? "pausedbyuser" : "pauseduntil", RANK.paused));
  }
  if (node instanceof SensorNode && node.pausedAtNight) add(night(node, at));
}

function haltRecurrence({ kind }: TreeNode): Recurrence {
  if (kind === "probe") return DISCONNECT;
  return kind === "sensor" ? SENSOR_PAUSE : kind === "device" ? DEVICE_PAUSE : GROUP_PAUSE;
}

function night(sensor: SensorNode, at: number): StatusSpan {
  const shift = NIGHT_BEGINS_MS - sensor.zone;
  const start = Math.floor((at - shift) / DAY_MS) * DAY_MS + shift;
  return statusSpan({ start, end: start + NIGHT_MS, draw: 0 }, "pausedbyschedule", RANK.schedule);
}

/** Until when what `addHalts` says of a group, device or probe stays true. */
export function nextHalt(node: TreeNode, at: number): number {
  const ordered = Math.min(
    node.manualActions.find((one) => one.at > at)?.at ?? Infinity,
    nextHaltingIncident(node, at),
  );
  if (!node.hasRandomHalts) return ordered;
  return Math.min(ordered, nextStart(haltRecurrence(node), node.spreadIndex, node.salt, at));
}
