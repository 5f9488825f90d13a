import type { ChangeReport, ChangesReport } from "../../http/pages/status/report.ts";
import { type ChangesQuery, QueryError } from "../../http/pages/status/source.ts";
import { sortInSlices, type TimeSlices } from "../../lib/yielding.ts";
import { type ChangedTree, type ChangeGroup, compareGroups, groupChanges } from "./change-groups.ts";
import type { Monitor, OutlineOf } from "./node-summary.ts";
import { instant, instantOrNull } from "./report-values.ts";
import { byName } from "./server-list.ts";
import type { StatusSources } from "./sources.ts";

/** Keeps the page below 100 kB. */
const PAGE_SIZE = 100;

interface ServerGroup {
  readonly server: string;
  readonly monitor: Monitor;
  readonly group: ChangeGroup;
}

/** @throws QueryError for an unknown server */
export async function changesReport(
  sources: StatusSources,
  _outlineOf: OutlineOf,
  { server, withinMs, size = PAGE_SIZE, page }: ChangesQuery,
  slices: TimeSlices,
): Promise<ChangesReport> {
  const { monitors, config, clock } = sources;
  if (server !== undefined && !monitors.has(server) && config.standbyFor?.includes(server) !== true) {
    throw new QueryError("server", server, [...monitors.keys()]);
  }
  const now = clock.now();
  const found: ServerGroup[] = [];
  const begins: (number | undefined)[] = [];
  for (const [name, monitor] of monitors) {
    if (server !== undefined && name !== server) continue;
    const turn = slices.step();
    if (turn !== undefined) await turn;
    begins.push(monitor.changes.since);
    const changes = monitor.changes.recent(withinMs === undefined ? 0 : now - withinMs);
    if (changes.length === 0) continue;
    const groups = groupChanges(changes, treeOf(monitor));
    found.push(...groups.map((group) => ({ server: name, monitor, group })));
  }
  const sorted = await sortInSlices(found, compareFound, slices);
  const pages = Math.max(1, Math.ceil(sorted.length / size));
  const number = Math.min(page, pages);
  const from = (number - 1) * size;
  const isKnown = begins.length > 0 && begins.every((begin) => begin !== undefined);
  return {
    generated_at: instant(now),
    since: isKnown ? instantOrNull(Math.max(...begins.filter((begin) => begin !== undefined))) : null,
    total: sorted.length,
    page: { number, pages, from },
    items: sorted.slice(from, from + size).map(changeReport),
  };
}

/** Counts sensors only if a probe is in question, because the overview asks for the changes of each server. */
function treeOf(monitor: Monitor): ChangedTree {
  const { nodes } = monitor.view.state.tree;
  const counts = new Map<string, number>();
  const count = (id: string) => {
    let sensors = 0;
    for (const { kind, parentId } of nodes.values()) {
      if (kind !== "sensor") continue;
      let above: string | undefined = parentId;
      while (above !== undefined && above !== id) above = nodes.get(above)?.parentId;
      if (above === id) sensors++;
    }
    counts.set(id, sensors);
    return sensors;
  };
  return { nodes, sensorsBelow: (id) => counts.get(id) ?? count(id) };
}

function compareFound(a: ServerGroup, b: ServerGroup): number {
  return compareGroups(a.group, b.group) || byName(a.server, b.server);
}

function changeReport({ server, monitor, group }: ServerGroup): ChangeReport {
  const { at, what, kind, count, object, before } = group;
  const { id, name, path } = object;
  const exists = monitor.view.state.tree.nodes.has(id);
  return {
    ...{ at: instant(at), server, change: what, kind, count },
    object: { id, kind: object.kind, name, path, exists },
    before: before ?? null,
  };
}
