import type { StatusReport } from "../../http/pages/status/report.ts";
import { PROBLEM_STATUSES } from "../../http/pages/status/status-order.ts";
import type { TimeSlices } from "../../lib/yielding.ts";
import type { StatusToken } from "../../prtg/status.ts";
import { compareProblems, type FoundNode, foundNode } from "./node-order.ts";
import { NOTHING_BELOW, nodeSummary, placeOf } from "./node-summary.ts";
import type { ServerRow } from "./server-list.ts";
import type { StatusSources } from "./sources.ts";

const MAX_SHOWN = 20;

/** The worst sensors of these servers. Reads only the trees of servers that can have one. */
export async function problemsReport(
  sources: StatusSources,
  servers: readonly ServerRow[],
  slices: TimeSlices,
): Promise<StatusReport["problems"]> {
  const { monitors, clock } = sources;
  const { wanted, total } = worstStatuses(servers);
  const worst: FoundNode[] = [];
  for (const { name: server, sensorsByStatus } of servers) {
    const monitor = monitors.get(server);
    if (monitor === undefined || !sensorsByStatus.keys().some((status) => wanted.has(status))) continue;
    const tree = { server, monitor };
    const { state } = monitor.view;
    const now = clock.monotonic();
    for (const node of state.tree.nodes.values()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (node.kind !== "sensor" || !wanted.has(state.statusOf(node, now))) continue;
      keepWorst(worst, foundNode(tree, node, 0, now));
    }
  }
  const items = worst.map(({ tree, node }) => nodeSummary(placeOf(sources, tree, NOTHING_BELOW), node));
  return { total, items };
}

/** The statuses that fill the report. */
function worstStatuses(servers: readonly ServerRow[]): {
  readonly wanted: ReadonlySet<StatusToken | undefined>;
  readonly total: number;
} {
  const wanted = new Set<StatusToken | undefined>();
  let total = 0;
  for (const status of PROBLEM_STATUSES) {
    if (total < MAX_SHOWN) wanted.add(status);
    for (const { sensorsByStatus } of servers) total += sensorsByStatus.get(status) ?? 0;
  }
  return { wanted, total };
}

function keepWorst(worst: FoundNode[], found: FoundNode): void {
  const last = worst.at(-1);
  if (worst.length === MAX_SHOWN && last !== undefined && compareProblems(found, last) >= 0) return;
  const place = worst.findIndex((each) => compareProblems(found, each) < 0);
  worst.splice(place === -1 ? worst.length : place, 0, found);
  worst.length = Math.min(worst.length, MAX_SHOWN);
}
