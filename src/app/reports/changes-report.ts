import type { ChangeReport, ChangesReport } from "../../http/pages/status/changes-report.ts";
import { type ChangesQuery, QueryError } from "../../http/pages/status/source.ts";
import { sortInSlices, type TimeSlices } from "../../lib/yielding.ts";
import { CHANGE_KINDS, type ChangeKind } from "../../model/change-log.ts";
import { type ChangeGroup, changedObjects, compareGroups, groupChanges } from "./change-groups.ts";
import type { Monitor, OutlineOf } from "./node-summary.ts";
import type { PartOfOutage } from "./outage-changes.ts";
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
  outlineOf: OutlineOf,
  { server, withinMs, size = PAGE_SIZE, page }: ChangesQuery,
  slices: TimeSlices,
): Promise<ChangesReport> {
  const { monitors, config, clock } = sources;
  if (server !== undefined && !monitors.has(server) && config.standbyFor?.includes(server) !== true) {
    throw new QueryError("server", server, [...monitors.keys()]);
  }
  const now = clock.now();
  const found: ServerGroup[] = [];
  const counts = new Map<ChangeKind, number>();
  const begins: (number | undefined)[] = [];
  for (const [name, monitor] of monitors) {
    if (server !== undefined && name !== server) continue;
    const turn = slices.step();
    if (turn !== undefined) await turn;
    begins.push(monitor.changes.since);
    const { since = now, outages } = monitor.changes;
    const after = withinMs === undefined ? 0 : now - withinMs;
    const changes = monitor.changes.recent(after);
    if (changes.length === 0 && outages.length === 0) continue;
    // The outline is made only if a probe is in question, because the overview asks for the changes of each server.
    const sensorsBelow = async (id: string) => sumOf((await outlineOf(monitor)).sensorsBelow(id));
    const tree = { nodes: monitor.view.state.tree.nodes, sensorsBelow };
    const groups = await groupChanges(changes, tree, outages, Math.max(since, after));
    found.push(...groups.map((group) => ({ server: name, monitor, group })));
    for (const [what, count] of changedObjects(changes, groups)) counts.set(what, count + (counts.get(what) ?? 0));
  }
  const sorted = await sortInSlices(found, compareFound, slices);
  const pages = Math.max(1, Math.ceil(sorted.length / size));
  const number = Math.min(page, pages);
  const from = (number - 1) * size;
  const isKnown = begins.length > 0 && begins.every((begin) => begin !== undefined);
  return {
    generated_at: instant(now),
    since: isKnown ? instantOrNull(Math.max(...begins.filter((begin) => begin !== undefined))) : null,
    servers: monitors.size,
    changed: CHANGE_KINDS.flatMap((change) => {
      const count = counts.get(change);
      return count === undefined ? [] : { change, count };
    }),
    total: sorted.length,
    page: { number, pages, from },
    items: sorted.slice(from, from + size).map(changeReport),
  };
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}

function compareFound(a: ServerGroup, b: ServerGroup): number {
  return compareGroups(a.group, b.group) || byName(a.server, b.server);
}

function changeReport({ server, monitor, group }: ServerGroup): ChangeReport {
  const { at, what, kind, count, object, before, outage } = group;
  const { id, name, path } = object;
  const exists = monitor.view.state.tree.nodes.has(id);
  return {
    ...{ at: instant(at), server, change: what, kind, count },
    object: { id, kind: object.kind, name, path, exists },
    before: before ?? null,
    outage: outage === undefined ? null : outageReport(outage),
  };
}

function outageReport({ part, outage: { problem, sensors } }: PartOfOutage): ChangeReport["outage"] {
  return { part, problem, sensors };
}
