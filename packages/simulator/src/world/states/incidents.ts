import type { Incident, ValueEffect } from "../model.ts";
import { type ChannelNode, SensorNode, type TreeNode } from "../nodes/nodes.ts";
import { type LimitZone, statusOfZone, zoneOf } from "../scans/limits.ts";
import { HALTING, RANK, type StatusSpan, statusSpan } from "../scans/status-span.ts";
import { normalValue, withinBounds } from "../scans/values.ts";

/** Answers heed it from now on, in the future too. @throws RangeError when the node cannot have it */
export function addIncident(node: TreeNode, incident: Incident): void {
  const { start, lengthMs, everyMs, times, effect } = incident;
  if (!Number.isSafeInteger(start)) throw new RangeError("the start of an incident must be a whole millisecond");
  if (!(lengthMs > 0)) throw new RangeError("an incident must last longer than 0 ms");
  if (!(times >= 1)) throw new RangeError("an incident must happen at least once");
  if (times > 1 && !(everyMs >= lengthMs)) throw new RangeError("an incident must end before it repeats");
  if (effect.kind === "reading") checkValueEffect(node, effect);
  else if (!statusesOf(node).has(effect.status)) {
    throw new RangeError(`a ${node.kind} (${node.id}) cannot be made ${effect.status}`);
  }
  node.incidents.push(incident);
}

/** As if it had never been added. */
export function removeIncident(node: TreeNode, incident: Incident): void {
  const index = node.incidents.indexOf(incident);
  if (index >= 0) node.incidents.splice(index, 1);
}

const PAUSES = ["pausedbyuser", "pauseduntil", "pausedbyschedule", "pausedbylicense"] as const;
const MEASURED = ["up", "warning", "down", "unusual", "partialdown"] as const;
const OF_SENSORS: ReadonlySet<string> = new Set([...PAUSES, ...MEASURED, "none", "unknown", "collecting"]);
const OF_PROBES: ReadonlySet<string> = new Set([...PAUSES, ...MEASURED, "disconnected"]);
const OF_OTHERS: ReadonlySet<string> = new Set([...PAUSES, ...MEASURED]);

function statusesOf(node: TreeNode): ReadonlySet<string> {
  return node.kind === "sensor" ? OF_SENSORS : node.kind === "probe" ? OF_PROBES : OF_OTHERS;
}

function checkValueEffect(node: TreeNode, { channel: number, to }: ValueEffect): void {
  const channel = channelOf(node, number);
  if (channel === undefined) throw new RangeError(`the ${node.kind} ${node.id} has no channel ${number} to set`);
  const [low = -Infinity, high = Infinity] = channel.template.bounds ?? [];
  if (!Number.isFinite(to) || to < low || to > high) {
    throw new RangeError(`${channel.name} of the sensor ${node.id} cannot be ${to}: its range is ${low} to ${high}`);
  }
  if (channel.template.whole && !Number.isInteger(to)) {
    throw new RangeError(`${channel.name} of the sensor ${node.id} cannot be ${to}: it has only whole numbers`);
  }
}

function channelOf(node: TreeNode, number: number): ChannelNode | undefined {
  if (!(node instanceof SensorNode)) return undefined;
  return node.channels.find((one) => one.number === number && !one.isDowntime);
}

/** Adds what halts a node itself: of each incident the last time that it happened. */
export function addHaltingIncidents(node: TreeNode, at: number, add: (one: StatusSpan) => void): void {
  for (const incident of node.incidents) {
    const { effect } = incident;
    if (effect.kind !== "status" || !HALTING.has(effect.status)) continue;
    const occurrence = lastOccurrence(incident, at);
    if (occurrence !== undefined)
      add(statusEffectSpan(occurrence, effect.status, haltRank(effect.status), effect.message));
  }
}

function haltRank(status: StatusSpan["status"]): number {
  if (status === "disconnected") return RANK.disconnected;
  return status === "none" || status === "unknown" || status === "collecting" ? RANK.waiting : RANK.paused;
}

/** When an incident that halts the node begins next, after a given time. */
export function nextHaltingIncident(node: TreeNode, at: number): number {
  let next = Infinity;
  for (const incident of node.incidents) next = Math.min(next, nextOccurrence(incident, at));
  return next;
}

/** Adds what a sensor's scans bring because of incidents, its own and those of all nodes above it. */
export function addScannedIncidents(sensor: SensorNode, at: number, spans: StatusSpan[]): void {
  const found: StatusSpan[] = [];
  for (let node: TreeNode | undefined = sensor; node !== undefined; node = node.parent) {
    for (const incident of node.incidents) {
      const { effect } = incident;
      const occurrence = lastOccurrence(incident, at);
      if (occurrence === undefined) continue;
      if (effect.kind === "reading") {
        const one = valueEffectSpan(sensor, effect, occurrence, at);
        if (one !== undefined) found.push(one);
      } else if (!HALTING.has(effect.status)) {
        found.push(statusEffectSpan(occurrence, effect.status, RANK.incident, effect.message));
      }
    }
  }
  // Among equals the first one shows: what began last.
  if (found.length > 1) found.sort((a, b) => b.start - a.start);
  spans.push(...found);
}

function statusEffectSpan(
  { start, end }: Occurrence,
  status: StatusSpan["status"],
  rank: number,
  message?: string,
): StatusSpan {
  return { ...statusSpan({ start, end, draw: start }, status, rank), message };
}

/** The part of the occurrence that a time falls into, or the last one: between two parts the value crosses a limit. */
function valueEffectSpan(
  sensor: SensorNode,
  effect: ValueEffect,
  { start, end }: Occurrence,
  at: number,
): StatusSpan | undefined {
  const channel = channelOf(sensor, effect.channel);
  if (channel === undefined) return undefined;
  const from = normalValue(channel, start);
  const valueAt = (when: number): number => {
    const part = effect.overMs === 0 ? 1 : Math.min(1, (when - start) / effect.overMs);
    return withinBounds(channel, from + (effect.to - from) * part);
  };
  const zoneAt = (when: number): LimitZone => zoneOf(channel.limits, valueAt(when));
  const arrived = Math.min(end, start + effect.overMs);
  const bounds = [start, ...changes(zoneAt, start, arrived), end];
  const index = bounds.findLastIndex((bound, place) => bound <= at && place < bounds.length - 1);
  const part = { start: bounds[index] ?? start, end: bounds[index + 1] ?? end, draw: start };
  const valueOverride = { channel, valueAt };
  return { ...statusSpan(part, statusOfZone(zoneAt(part.start)), RANK.value, true), valueOverride };
}

/** Moments when a value that only rises or only falls gets into another zone, in order. */
function changes(zoneAt: (when: number) => number, from: number, to: number): number[] {
  if (from >= to || zoneAt(from) === zoneAt(to)) return [];
  if (to - from === 1) return [to];
  const middle = Math.floor((from + to) / 2);
  return [...changes(zoneAt, from, middle), ...changes(zoneAt, middle, to)];
}

/** One time that an incident happens: `start` belongs to it, `end` does not. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
}

/** The last occurrence that began at or before a given time; undefined before the first. */
export function lastOccurrence({ start, lengthMs, everyMs, times }: Incident, at: number): Occurrence | undefined {
  if (at < start) return undefined;
  const number = times === 1 ? 0 : Math.min(times - 1, Math.floor((at - start) / everyMs));
  const begin = number === 0 ? start : start + number * everyMs;
  return { start: begin, end: begin + lengthMs };
}

/** When the next occurrence after a given time begins; Infinity when there is none. */
export function nextOccurrence({ start, everyMs, times }: Incident, at: number): number {
  if (at < start) return start;
  if (times === 1) return Infinity;
  const number = Math.floor((at - start) / everyMs) + 1;
  return number < times ? start + number * everyMs : Infinity;
}
