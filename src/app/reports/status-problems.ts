import type { StatusReport } from "../../http/pages/status/report.ts";
import { isProblem, PARENT_KINDS, PROBLEM_STATUSES } from "../../http/pages/status/status-order.ts";
import type { TimeSlices } from "../../lib/yielding.ts";
import type { StatusToken } from "../../prtg/status.ts";
import { compareProblems, type FoundNode, foundNode } from "./node-order.ts";
import { NOTHING_BELOW, nodeSummary, type OutlineOf, placeOf } from "./node-summary.ts";
import type { ServerRow } from "./server-list.ts";
import type { StatusSources } from "./sources.ts";

const MAX_SHOWN = 20;

/** The worst objects of these servers. Reads only the trees of servers that can have one. */
export async function problemsReport(
  sources: StatusSources,
  outlineOf: OutlineOf,
  servers: readonly ServerRow[],
  slices: TimeSlices,
): Promise<StatusReport["problems"]> {
  const { monitors, clock } = sources;
  const { wanted, total } = worstStatuses(servers);
  const worst: FoundNode[] = [];
  for (const row of servers) {
    const { name: server } = row;
    const monitor = monitors.get(server);
    if (monitor === undefined || !wanted.values().some((status) => problemsIn(row, status) > 0)) continue;
    const tree = { server, monitor };
    const { state } = monitor.view;
    const now = clock.monotonic();
    for (const node of state.tree.nodes.values()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const status = state.statusOf(node) ?? "unknown";
      if (wanted.has(status) && isProblem(node.kind, status)) keepWorst(worst, foundNode(tree, node, 0, now));
    }
  }
  const items: StatusReport["problems"]["items"] = [];
  for (const { tree, node } of worst) {
    const outline = node.kind === "sensor" ? NOTHING_BELOW : await outlineOf(tree.monitor);
    items.push(nodeSummary(placeOf(sources, tree, outline), node));
  }
  return { total, items };
}

/** The statuses that fill the report. */
function worstStatuses(servers: readonly ServerRow[]): {
  readonly wanted: ReadonlySet<StatusToken>;
  readonly total: number;
} {
  const wanted = new Set<StatusToken>();
  let total = 0;
  for (const status of PROBLEM_STATUSES) {
    if (total < MAX_SHOWN) wanted.add(status);
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
