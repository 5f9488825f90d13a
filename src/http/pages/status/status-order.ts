import { STATUS_ORDER, type StatusGroup, statusFacts } from "../../../prtg/status.ts";

/** The worst first. */
export const SERVER_STATES = ["unreachable", "failing", "impaired", "starting", "working"] as const;
export type ServerState = (typeof SERVER_STATES)[number];

export const CHANGES = [
  ...(["down", "unknown", "acknowledged", "recovered", "paused", "resumed"] as const),
  ...(["renamed", "moved", "added", "removed"] as const),
] as const;
export type Change = (typeof CHANGES)[number];

export const PARENT_KINDS = ["probe", "group", "device"] as const;
export type ParentKind = (typeof PARENT_KINDS)[number];

/** Sensors in these groups need attention. An acknowledged sensor already has it. */
const PROBLEM_GROUPS: ReadonlySet<StatusGroup> = new Set(["down", "unknown", "warning", "acknowledged"]);

/** The worst first. */
export const PROBLEM_STATUSES = STATUS_ORDER.filter((status) => isOf(PROBLEM_GROUPS, status));

const PLACES: ReadonlyMap<string, number> = new Map(STATUS_ORDER.map((status, place) => [status, place]));

function isOf(groups: ReadonlySet<StatusGroup>, status: string): boolean {
  const facts = statusFacts(status);
  return facts !== undefined && groups.has(facts.group);
}

/** Statuses of newer servers come last. */
export function placeOfStatus(status: string | undefined): number {
  return PLACES.get(status ?? "unknown") ?? STATUS_ORDER.length;
}

/** Groups and devices below a disconnected probe are unknown, which the probe and the sensors say already. */
export function isProblem(kind: string, status: string | undefined): boolean {
  const isKnown = kind === "sensor" || (status ?? "unknown") !== "unknown";
  return isKnown && isOf(PROBLEM_GROUPS, status ?? "unknown");
}
