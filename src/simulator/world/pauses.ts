import { addHaltingIncidents, nextHaltingIncident } from "./incident-spans.ts";
import { type Order, SensorNode, type TreeNode } from "./nodes.ts";
import { uniform } from "./noise.ts";
import { dayRota, lastEpisode, nextStart, type Rota } from "./rota.ts";
import { RANK, type Span, span } from "./span.ts";
import { DAY_MS } from "./trend.ts";

const SENSOR_PAUSE = dayRota(1, 900, 0.02, 1.3, 0.1);
const DEVICE_PAUSE = dayRota(2, 100, 0.05, 5, 0.1);
const GROUP_PAUSE = dayRota(3, 150, 0.05, 4, 0.1);
const DISCONNECT = dayRota(7, 12, 1 / 1440, 25 / 1440, 1);

const HOUR_MS = 3_600_000;
const NIGHT_BEGINS_MS = 20 * HOUR_MS;
const NIGHT_MS = 10 * HOUR_MS;

/** The last thing that somebody did to the node at or before a moment. */
export function lastOrder(node: TreeNode, at: number): Order | undefined {
  return node.orders.length === 0 ? undefined : node.orders.findLast((order) => order.at <= at);
}

export function orderSpan({ at, until, kind, status, message }: Order): Span {
  const rank = kind === "force" ? RANK.force : RANK.order;
  return { ...span({ start: at, end: until, draw: 0 }, status, rank, status === "warning"), message };
}

/** Adds the pause that somebody ordered, and the last one that came by itself, whether they are still on or not. */
export function addHalts(node: TreeNode, at: number, spans: Span[]): void {
  const order = lastOrder(node, at);
  if (order !== undefined && order.kind !== "resume") spans.push(orderSpan(order));
  // Who resumes a node ends what had paused it.
  const resumedAt = node.orders.findLast((one) => one.kind === "resume" && one.at <= at)?.at ?? -Infinity;
  const add = (one: Span): void => {
    const cut = one.start < resumedAt && one.end > resumedAt && node.kind !== "probe";
    spans.push(cut ? { ...one, end: resumedAt } : one);
  };
  if (node.incidents.length > 0) addHaltingIncidents(node, at, add);
  if (node.restless) {
    const episode = lastEpisode(haltRota(node), node.seat, node.salt, at);
    if (node.kind === "probe") add(span(episode, "disconnected", RANK.disconnected));
    else add(span(episode, uniform(episode.draw, 3) < 0.7 ? "pausedbyuser" : "pauseduntil", RANK.paused));
  }
  if (node instanceof SensorNode && node.nightly) add(night(node, at));
}

function haltRota({ kind }: TreeNode): Rota {
  if (kind === "probe") return DISCONNECT;
  return kind === "sensor" ? SENSOR_PAUSE : kind === "device" ? DEVICE_PAUSE : GROUP_PAUSE;
}

function night(sensor: SensorNode, at: number): Span {
  const shift = NIGHT_BEGINS_MS - sensor.zone;
  const start = Math.floor((at - shift) / DAY_MS) * DAY_MS + shift;
  return span({ start, end: start + NIGHT_MS, draw: 0 }, "pausedbyschedule", RANK.schedule);
}

/** Until when what `addHalts` says of a group, device or probe stays true. */
export function nextHalt(node: TreeNode, at: number): number {
  const ordered = Math.min(node.orders.find((one) => one.at > at)?.at ?? Infinity, nextHaltingIncident(node, at));
  if (!node.restless) return ordered;
  return Math.min(ordered, nextStart(haltRota(node), node.seat, node.salt, at));
}
