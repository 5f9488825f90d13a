import type { OutageReport, StatusReport } from "../../http/pages/status/report.ts";
import { isProblem, PARENT_KINDS, PROBLEM_STATUSES, placeOfStatus } from "../../http/pages/status/status-order.ts";
import { mapEntry } from "../../lib/map-entry.ts";
import type { TimeSlices } from "../../lib/yielding.ts";
import type { Outage } from "../../model/outages.ts";
import type { TreeNode } from "../../model/tree.ts";
import { STATUSES, type StatusToken } from "../../prtg/status.ts";
import { shownSince } from "./acknowledgement.ts";
import { compareProblems, type FoundNode, foundNode } from "./node-order.ts";
import { NOTHING_BELOW, nodeSummary, type OutlineOf, placeOf, prtgUrl, type ServerTree } from "./node-summary.ts";
import { instantOrNull } from "./report-values.ts";
import type { ServerRow } from "./server-list.ts";
import type { StatusSources } from "./sources.ts";

const MAX_SHOWN = 20;
/** Milliseconds. A problem that is younger shows that it gets worse. */
const RECENT_MS = 60 * 60_000;
/** Different messages of one outage. They count the values of sensors in the worst case. */
const MAX_MESSAGES = 100;

export interface ProblemsQuestion {
  readonly servers: readonly ServerRow[];
  /** Sensors of outages are no items. */
  readonly isGrouped: boolean;
}

/** What one reading of the trees finds. */
interface Found {
  readonly worst: FoundNode[];
  readonly outages: Map<Outage, Members>;
  recent: number;
}

/** The sensors of an outage. */
interface Members {
  readonly tree: ServerTree;
  /** Counts of messages. */
  readonly said: Map<string, number>;
  readonly acknowledgements: Map<string, number>;
  recent: number;
}

/** Outages and the worst objects of these servers. Reads only the trees of servers that can have one. */
export async function problemsReport(
  sources: StatusSources,
  outlineOf: OutlineOf,
  question: ProblemsQuestion,
  slices: TimeSlices,
): Promise<Pick<StatusReport, "outages" | "problems">> {
  const { monitors } = sources;
  const { wanted, total } = worstStatuses(sources, question);
  const found: Found = { worst: [], outages: new Map(), recent: 0 };
  for (const row of question.servers) {
    const monitor = monitors.get(row.name);
    if (monitor === undefined || !wanted.values().some((status) => problemsIn(row, status) > 0)) continue;
    await readTree(sources, { server: row.name, monitor }, { wanted, isGrouped: question.isGrouped }, found, slices);
  }
  const items: StatusReport["problems"]["items"] = [];
  for (const { tree, node } of found.worst) {
    const outline = node.kind === "sensor" ? NOTHING_BELOW : await outlineOf(tree.monitor);
    items.push(nodeSummary(placeOf(sources, tree, outline), node));
  }
  const outages = Array.from(found.outages, ([outage, members]) => outageReport(sources, outage, members));
  return {
    outages: {
      total: outages.length,
      sensors: outages.reduce((sum, { affected }) => sum + affected, 0),
      items: outages.toSorted(compareOutages).slice(0, MAX_SHOWN),
    },
    problems: { total, recent: found.recent, items },
  };
}

async function readTree(
  { clock }: StatusSources,
  tree: ServerTree,
  { wanted, isGrouped }: { readonly wanted: ReadonlySet<StatusToken>; readonly isGrouped: boolean },
  found: Found,
  slices: TimeSlices,
): Promise<void> {
  const { state } = tree.monitor.view;
  const now = clock.monotonic();
  const recentSince = clock.now() - RECENT_MS;
  for (const node of state.tree.nodes.values()) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    const status = state.statusOf(node) ?? "unknown";
    if (!wanted.has(status) || !isProblem(node.kind, status)) continue;
    const known = state.node(node.id);
    // An acknowledgement may begin a new status, but it makes nothing worse.
    const isRecent = ((known && shownSince(node, known, now)) ?? 0) >= recentSince;
    if (node.kind === "sensor" && isRecent && STATUSES[status].group === "down") found.recent++;
    const outage = outageOf(tree, node, status);
    if (outage !== undefined && node.kind === "sensor") {
      addMember(
        mapEntry(found.outages, outage, () => noMembers(tree)),
        known?.message,
        status,
        isRecent,
      );
    }
    if (outage === undefined || !isGrouped) keepWorst(found.worst, foundNode(tree, node, 0, now));
  }
}

/** A disconnected probe, or a device that is down itself, is part of any outage around it. */
function outageOf({ monitor }: ServerTree, node: TreeNode, status: StatusToken): Outage | undefined {
  const { outages, tree } = monitor.view.state;
  if (outages.size === 0) return undefined;
  if (node.kind === "sensor") return outages.of(tree, node, status);
  return outages.of(tree, node, "down") ?? outages.of(tree, node, "unknown");
}

function noMembers(tree: ServerTree): Members {
  return { tree, said: new Map(), acknowledgements: new Map(), recent: 0 };
}

function addMember(members: Members, message: string | undefined, status: StatusToken, isRecent: boolean): void {
  if (isRecent) members.recent++;
  if (message === undefined || message === "") return;
  const { said, acknowledgements } = members;
  const counts = STATUSES[status].group === "acknowledged" ? acknowledgements : said;
  if (counts.size < MAX_MESSAGES || counts.has(message)) counts.set(message, (counts.get(message) ?? 0) + 1);
}

function mostSaid(counts: ReadonlyMap<string, number>): OutageReport["message"] {
  let most: OutageReport["message"] = null;
  for (const [text, count] of counts) if (count > (most?.count ?? 0)) most = { text, count };
  return most;
}

/** The worst status, then the most sensors first. */
function compareOutages(a: OutageReport, b: OutageReport): number {
  const place = ({ status, problem }: OutageReport) => placeOfStatus(status ?? problem);
  return place(a) - place(b) || b.affected - a.affected;
}

function outageReport({ config }: StatusSources, outage: Outage, members: Members): OutageReport {
  const { node, problem, below, devices, since, firstId } = outage;
  const { server, monitor } = members.tree;
  const { state } = monitor.view;
  const webUrl = config.servers.find(({ name }) => name === server)?.webUrl;
  const ownStatus = state.statusOf(node);
  return {
    ...{ server, id: node.id, kind: node.kind, name: node.name, path: node.path, problem },
    status: ownStatus !== undefined && isProblem(node.kind, ownStatus) ? ownStatus : null,
    affected: below[problem],
    sensors: below.sensors,
    devices,
    hidden: below.hidden,
    recent: members.recent,
    since: instantOrNull(since),
    first: referenceTo(members.tree, firstId),
    message: mostSaid(members.said),
    acknowledged: problem === "down" ? below.acknowledged : 0,
    acknowledgement: mostSaid(members.acknowledgements)?.text ?? null,
    cause: referenceTo(members.tree, causeOf(members.tree, outage)),
    prtg_url: prtgUrl(webUrl, node),
  };
}

function referenceTo({ monitor }: ServerTree, id: string | undefined): OutageReport["first"] {
  const node = id === undefined ? undefined : monitor.view.state.tree.nodes.get(id);
  return node === undefined ? null : { id: node.id, name: node.name, path: node.path };
}

/** The sensor on which most of the affected objects depend in PRTG, if it is down itself. */
function causeOf({ monitor }: ServerTree, { node, problem }: Outage): string | undefined {
  const { state } = monitor.view;
  const counts = new Map<string, number>();
  const devices = [...state.outages.devices].filter((each) => each.outageId === node.id && each.problem === problem);
  for (const { id } of [node, ...devices.map((device) => device.node)]) {
    const dependsOn = state.node(id)?.facts.dependsOn ?? "";
    const master = state.tree.nodes.get(dependsOn);
    const status = master?.kind === "sensor" ? state.statusOf(master) : undefined;
    if (status !== undefined && STATUSES[status].scan === "failed")
      counts.set(dependsOn, (counts.get(dependsOn) ?? 0) + 1);
  }
  return mostSaid(counts)?.text;
}

/** The statuses that fill the report. All are wanted if some are in outages, because others then take their places. */
function worstStatuses(
  { monitors }: StatusSources,
  { servers, isGrouped }: ProblemsQuestion,
): { readonly wanted: ReadonlySet<StatusToken>; readonly total: number } {
  const hasOutages = servers.some(({ name }) => (monitors.get(name)?.view.state.outages.size ?? 0) > 0);
  const wanted = new Set<StatusToken>();
  let total = 0;
  for (const status of PROBLEM_STATUSES) {
    const isOfOutage = STATUSES[status].group !== "warning";
    const isCounted = hasOutages && (isGrouped || isOfOutage);
    if (total < MAX_SHOWN || isCounted || STATUSES[status].group === "down") wanted.add(status);
    for (const server of servers) total += problemsIn(server, status);
  }
  return { wanted, total };
}

/** Number of objects of a server with a problem of this status. */
function problemsIn({ sensorsByStatus, summary }: ServerRow, status: StatusToken): number {
  const parents = PARENT_KINDS.filter((kind) => isProblem(kind, status));
  return parents.reduce(
    (sum, kind) => sum + (summary.parentsByStatus[kind].get(status) ?? 0),
    sensorsByStatus.get(status) ?? 0,
  );
}

function keepWorst(worst: FoundNode[], found: FoundNode): void {
  const last = worst.at(-1);
  if (worst.length === MAX_SHOWN && last !== undefined && compareProblems(found, last) >= 0) return;
  const place = worst.findIndex((each) => compareProblems(found, each) < 0);
  worst.splice(place === -1 ? worst.length : place, 0, found);
  worst.length = Math.min(worst.length, MAX_SHOWN);
}
