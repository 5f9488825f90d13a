import { mapEntry } from "../lib/map-entry.ts";
import type { Steps } from "../lib/yielding.ts";
import { STATUSES, type StatusToken } from "../prtg/status.ts";
import type { NodeState } from "./node-state.ts";
import { ROOT_ID, type Tree, type TreeNode } from "./tree.ts";

export const OUTAGE_PROBLEMS = ["down", "unknown"] as const;
export type OutageProblem = (typeof OUTAGE_PROBLEMS)[number];

/** An object begins to be an outage with this share and number of its sensors, and is one until it has less than the second. */
export const BEGIN = { share: 0.8, sensors: 3 } as const;
export const KEEP = { share: 0.5, sensors: 2 } as const;

/** Numbers of sensors below an object. */
export interface SensorsBelow {
  /** Sensors with a known result: neither paused nor without a status. */
  readonly sensors: number;
  readonly down: number;
  readonly unknown: number;
  /** Part of `down`. */
  readonly acknowledged: number;
  /** Sensors that PRTG paused because of a dependency. */
  readonly hidden: number;
}

type Counts = { -readonly [Name in keyof SensorsBelow]: number };

export interface FoundOutage {
  readonly node: TreeNode;
  readonly problem: OutageProblem;
  readonly below: SensorsBelow;
  /** Devices with an affected sensor. */
  readonly devices: ReadonlySet<string>;
  /** The affected sensor with which it began. */
  readonly first: SensorState | undefined;
}

/** An outage with what earlier polls knew. */
export interface Outage extends Omit<FoundOutage, "first" | "devices"> {
  readonly row: number;
  readonly devices: number;
  /** Milliseconds since the epoch: start of the status of `first`, whatever became of that sensor. */
  readonly since: number | undefined;
  readonly firstId: string | undefined;
  readonly expiresAt: number;
}

/** An affected device below an outage of a probe or group. */
export interface OutageDevice {
  readonly row: number;
  readonly node: TreeNode;
  readonly problem: OutageProblem;
  readonly outageId: string;
  readonly expiresAt: number;
}

type SensorState = Pick<NodeState, "id" | "status" | "statusSince">;
export type StateOf = (id: string) => SensorState | undefined;

export function problemOf(status: StatusToken | undefined): OutageProblem | undefined {
  if (status === undefined) return undefined;
  const { group } = STATUSES[status];
  if (group === "down" || group === "acknowledged") return "down";
  return group === "unknown" ? "unknown" : undefined;
}

export function outageKey(problem: OutageProblem, id: string): string {
  return `${problem} ${id}`;
}

/**
 * The highest objects below which nearly all sensors have the same kind of problem. An object of `before` (by `outageKey`)
 * stays an outage with fewer sensors, so that outages hold steady while sensors come and go.
 */
export async function findOutages(
  { nodes }: Pick<Tree, "nodes">,
  stateOf: StateOf,
  before: { has(key: string): boolean },
  slices: Steps,
): Promise<readonly FoundOutage[]> {
  const counts = await countBelow(nodes, stateOf, slices);
  const found = new Map<string, { node: TreeNode; problem: OutageProblem; below: SensorsBelow }>();
  for (const [id, below] of counts) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    const node = nodes.get(id);
    for (const problem of OUTAGE_PROBLEMS) {
      const key = outageKey(problem, id);
      if (node !== undefined && isOutage(below, problem, before.has(key))) found.set(key, { node, problem, below });
    }
  }
  const highest = new Map<string, OutageMembers>();
  for (const [key, outage] of found) {
    const above = nodes.get(outage.node.parentId);
    if (outageAbove(nodes, above, outage.problem, found) !== undefined) continue;
    highest.set(key, { ...outage, devices: new Set(), affected: [] });
  }
  if (highest.size > 0) await addMembers(nodes, stateOf, highest, slices);
  return Array.from(highest.values(), ({ affected, ...outage }) => ({ ...outage, first: firstOf(affected) }));
}

interface OutageMembers extends Omit<FoundOutage, "first"> {
  readonly devices: Set<string>;
  readonly affected: SensorState[];
}

/** A problem that is older than this before most others has another cause. */
const EARLIEST_MS = 60 * 60_000;

/** The sensor with the oldest status, within an hour before the median. */
function firstOf(affected: readonly SensorState[]): SensorState | undefined {
  const known = affected.flatMap((sensor) =>
    sensor.statusSince === undefined ? [] : { sensor, at: sensor.statusSince },
  );
  known.sort((a, b) => a.at - b.at);
  const median = known[Math.floor(known.length / 2)]?.at ?? 0;
  return known.find(({ at }) => at >= median - EARLIEST_MS)?.sensor;
}

function isOutage(below: SensorsBelow, problem: OutageProblem, wasOutage: boolean): boolean {
  const { share, sensors } = wasOutage ? KEEP : BEGIN;
  return below[problem] >= sensors && below[problem] >= share * below.sensors;
}

async function countBelow(
  nodes: Tree["nodes"],
  stateOf: StateOf,
  slices: Steps,
): Promise<ReadonlyMap<string, SensorsBelow>> {
  const counts = new Map<string, Counts>();
  const none = () => ({ sensors: 0, down: 0, unknown: 0, acknowledged: 0, hidden: 0 });
  for (const node of nodes.values()) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (node.kind === "sensor") countSensor(mapEntry(counts, node.parentId, none), stateOf(node.id)?.status);
  }
  // At this point all counts are on the parents of sensors. Add them to all ancestors.
  for (const [id, direct] of [...counts].map(([owner, count]) => [owner, { ...count }] as const)) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    for (let at = nodes.get(id)?.parentId ?? ROOT_ID; at !== ROOT_ID; at = nodes.get(at)?.parentId ?? ROOT_ID) {
      const sum = mapEntry(counts, at, none);
      sum.sensors += direct.sensors;
      sum.down += direct.down;
      sum.unknown += direct.unknown;
      sum.acknowledged += direct.acknowledged;
      sum.hidden += direct.hidden;
    }
  }
  return counts;
}

function countSensor(counts: Counts, status: StatusToken | undefined): void {
  if (status === undefined) return;
  const { group, isHidden } = STATUSES[status];
  if (isHidden) counts.hidden++;
  if (group === "paused" || group === "other") return;
  counts.sensors++;
  const problem = problemOf(status);
  if (problem !== undefined) counts[problem]++;
  if (group === "acknowledged") counts.acknowledged++;
}

async function addMembers(
  nodes: Tree["nodes"],
  stateOf: StateOf,
  outages: ReadonlyMap<string, OutageMembers>,
  slices: Steps,
): Promise<void> {
  for (const node of nodes.values()) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    if (node.kind !== "sensor") continue;
    const state = stateOf(node.id);
    const problem = problemOf(state?.status);
    const outage = problem && outageAbove(nodes, node, problem, outages);
    if (state === undefined || outage === undefined) continue;
    if (node.deviceId !== "") outage.devices.add(node.deviceId);
    outage.affected.push(state);
  }
}

/** The outage to which an object belongs: its own or one of an object above it. */
export function outageAbove<Found>(
  nodes: Tree["nodes"],
  node: TreeNode | undefined,
  problem: OutageProblem,
  outages: ReadonlyMap<string, Found>,
): Found | undefined {
  for (let at = node; at !== undefined; at = nodes.get(at.parentId)) {
    const outage = outages.get(outageKey(problem, at.id));
    if (outage !== undefined) return outage;
  }
  return undefined;
}
