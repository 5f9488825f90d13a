import type { NodeSummary, SearchReport } from "../../http/pages/status/report.ts";
import { QueryError, type SearchQuery } from "../../http/pages/status/source.ts";
import { isProblem } from "../../http/pages/status/status-order.ts";
import { sortInSlices, type TimeSlices } from "../../lib/yielding.ts";
import type { TreeNode } from "../../model/tree.ts";
import { parseStatus, STATUS_TOKENS, type StatusToken } from "../../prtg/status.ts";
import { compareBy, compareFound, type FoundNode, foundNode } from "./node-order.ts";
import { type Monitor, NOTHING_BELOW, nodeSummary, type OutlineOf, placeOf } from "./node-summary.ts";
import { instant } from "./report-values.ts";
import { byName } from "./server-list.ts";
import type { StatusSources } from "./sources.ts";

/** Keeps the page below 100 kB, even with long names and messages. */
const PAGE_SIZE = 50;
/** A longer list takes too much of the page, and a reader types the name. */
const MAX_SERVERS = 100;

/** @throws QueryError for an unknown server or status */
export async function searchReport(
  sources: StatusSources,
  outlineOf: OutlineOf,
  query: SearchQuery,
  slices: TimeSlices,
): Promise<SearchReport> {
  const found = await findNodes(sources, query, slices);
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const page = Math.min(query.page, pages);
  const from = (page - 1) * PAGE_SIZE;
  const sorted = await sortInSlices(found, compareBy(query.sort, compareFound), slices);
  const items: NodeSummary[] = [];
  for (const { tree, node } of sorted.slice(from, from + PAGE_SIZE)) {
    const outline = node.kind === "sensor" ? NOTHING_BELOW : await outlineOf(tree.monitor);
    items.push(nodeSummary(placeOf(sources, tree, outline), node));
  }
  return {
    generated_at: instant(sources.clock.now()),
    total: found.length,
    page: { number: page, pages, from },
    items,
    servers: sources.monitors.size > MAX_SERVERS ? [] : [...sources.monitors.keys()].sort(byName),
  };
}

async function findNodes(sources: StatusSources, query: SearchQuery, slices: TimeSlices): Promise<FoundNode[]> {
  const { monitors, config, clock } = sources;
  const { server } = query;
  if (server !== undefined && !monitors.has(server) && config.standbyFor?.includes(server) !== true) {
    throw new QueryError("server", server, [...monitors.keys()]);
  }
  const phrase = query.text.trim().toLowerCase();
  const isMatch = matcher(query, query.statuses.map(tokenOf), phrase);
  const found: FoundNode[] = [];
  for (const [name, monitor] of monitors) {
    if (server !== undefined && name !== server) continue;
    const tree = { server: name, monitor };
    const now = clock.monotonic();
    for (const node of monitor.view.state.tree.nodes.values()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (isMatch(monitor, node)) found.push(foundNode(tree, node, rank(node, phrase), now));
    }
  }
  return found;
}

function tokenOf(text: string): StatusToken {
  const token = parseStatus(text);
  if (token === undefined) throw new QueryError("status", text, STATUS_TOKENS);
  return token;
}

/** Cheap conditions first. */
function matcher({ priorities, tag, probe }: SearchQuery, statuses: readonly StatusToken[], phrase: string) {
  const words = phrase.split(/\s+/).filter((word) => word !== "");
  const [wantedTag, wantedProbe] = [tag.toLowerCase(), probe.toLowerCase()];
  return (monitor: Monitor, node: TreeNode): boolean =>
    (statuses.length === 0 || hasStatus(monitor, node, statuses)) &&
    (priorities.length === 0 || priorities.includes(node.priority ?? 0)) &&
    (wantedTag === "" || hasTag(node, wantedTag)) &&
    (wantedProbe === "" || node.probe.toLowerCase().includes(wantedProbe)) &&
    words.every((word) => occurs(node, word));
}

/** Sensors, and those probes, groups and devices that are a problem. */
function hasStatus({ view }: Monitor, node: TreeNode, statuses: readonly StatusToken[]): boolean {
  const status = view.state.statusOf(node) ?? "unknown";
  return statuses.includes(status) && (node.kind === "sensor" || isProblem(node.kind, status));
}

function hasTag({ tags, inheritedTags }: TreeNode, tag: string): boolean {
  const isTag = (each: string) => each.toLowerCase() === tag;
  return tags.some(isTag) || inheritedTags.some(isTag);
}

function occurs({ path, id, host, tags }: TreeNode, word: string): boolean {
  return (
    id === word ||
    path.toLowerCase().includes(word) ||
    host?.toLowerCase().includes(word) === true ||
    tags.some((tag) => tag.toLowerCase().includes(word))
  );
}

/** Where the words are. In each place, probes, groups and devices come before sensors. */
const PLACES = { id: 0, wholeName: 1, name: 2, elsewhere: 3 } as const;

/** Best first. The start of a name is better than the rest, but a problem is better still. */
function rank({ id, kind, name }: TreeNode, phrase: string): number {
  if (phrase === "") return 0;
  const lower = name.toLowerCase();
  const place = id === phrase ? "id" : lower === phrase ? "wholeName" : lower.includes(phrase) ? "name" : "elsewhere";
  return 4 * PLACES[place] + 2 * Number(kind === "sensor") + Number(!lower.startsWith(phrase));
}
