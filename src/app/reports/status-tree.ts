import type {
  ChannelReport,
  NodeReport,
  NodeSummary,
  SearchReport,
  SensorReport,
} from "../../http/pages/status/report.ts";
import type { NodeQuery, SearchQuery } from "../../http/pages/status/source.ts";
import type { TimeSlices } from "../../lib/yielding.ts";
import type { Outline } from "../../model/outline.ts";
import { ROOT_ID, type TreeNode } from "../../model/tree.ts";
import { parseStatus, type StatusToken } from "../../prtg/status.ts";
import { type ChannelExplanation, choiceOf, explainSensor } from "./explain-page.ts";
import { prtgUrl } from "./prtg-url.ts";
import { instant, instantOrNull } from "./report-values.ts";
import type { StatusSources } from "./sources.ts";

/** On one page. */
const MAX_CHILDREN = 200;
const MAX_FOUND = 100;

const NOTHING_BELOW: Outline = { children: () => [], sensorsBelow: () => new Map() };
const NO_CHANNELS = { from: 0, count: 0 };

export type Monitor = NonNullable<ReturnType<StatusSources["monitors"]["get"]>>;

interface ServerTree {
  readonly server: string;
  readonly monitor: Monitor;
}

interface ServerOutline extends ServerTree {
  /** URL of the PRTG web interface. */
  readonly webUrl: string | undefined;
  readonly outline: Outline;
  readonly now: number;
}

export type OutlineOf = (monitor: Monitor) => Promise<Outline>;

/** An object, its ancestors and its children; `undefined` if no server has it. */
export async function nodeReport(
  sources: StatusSources,
  outlineOf: OutlineOf,
  { server, id, from }: NodeQuery,
  slices: TimeSlices,
): Promise<NodeReport | undefined> {
  const found = find(sources, server, ({ monitor }) => id === ROOT_ID || monitor.view.state.tree.nodes.has(id));
  if (found === undefined) return undefined;
  const outline = await outlineOf(found.monitor);
  const webUrl = webUrlOf(sources, found.server);
  const place = { ...found, webUrl, outline, now: sources.clock.monotonic() };
  const node = place.monitor.view.state.tree.nodes.get(id);
  const children = place.outline.children(id);
  const first = Math.min(from, Math.max(0, children.length - 1));
  return {
    generated_at: instant(sources.clock.now()),
    node: node === undefined ? rootSummary(place) : summary(place, node),
    host: node?.host ?? null,
    depends_on: dependency(place, id),
    tags: [...(node?.tags ?? [])],
    ancestors: node === undefined ? [] : ancestors(place, node),
    children: {
      total: children.length,
      from: first,
      items: children.slice(first, first + MAX_CHILDREN).map((child) => summary(place, child)),
    },
    sensor: node?.kind === "sensor" ? await sensorReport(sources, place, node, from, slices) : null,
  };
}

/** The first server that has the object. `server`: only this one. */
function find(
  { monitors }: StatusSources,
  server: string | undefined,
  hasIt: (place: ServerTree) => boolean,
): ServerTree | undefined {
  for (const [name, monitor] of monitors) {
    const place = { server: name, monitor };
    if ((server === undefined || name === server) && hasIt(place)) return place;
  }
  return undefined;
}

function webUrlOf({ config }: StatusSources, server: string): string | undefined {
  return config.servers.find(({ name }) => name === server)?.webUrl;
}

function rootSummary({ server, outline }: ServerOutline): NodeSummary {
  return {
    server,
    id: ROOT_ID,
    kind: "root",
    name: server,
    path: "",
    status: null,
    status_since: null,
    message: null,
    children: outline.children(ROOT_ID).length,
    sensors_by_status: Object.fromEntries(outline.sensorsBelow(ROOT_ID)),
    prtg_url: null,
  };
}

function summary({ server, webUrl, monitor, outline, now }: ServerOutline, node: TreeNode): NodeSummary {
  const { id, kind, name, path } = node;
  const inspection = kind === "sensor" ? monitor.view.inspect(id, NO_CHANNELS, now) : undefined;
  return {
    server,
    id,
    kind,
    name,
    path,
    status: monitor.view.state.statusOf(node, now) ?? null,
    status_since: instantOrNull(inspection?.statusSince),
    message: inspection?.message ?? null,
    children: inspection?.channelCount ?? outline.children(id).length,
    sensors_by_status: Object.fromEntries(outline.sensorsBelow(id)),
    prtg_url: prtgUrl(webUrl, node),
  };
}

function ancestors(place: ServerOutline, node: TreeNode): NodeSummary[] {
  const found: NodeSummary[] = [];
  const { nodes } = place.monitor.view.state.tree;
  for (let above = nodes.get(node.parentId); above !== undefined; above = nodes.get(above.parentId)) {
    found.unshift(summary(place, above));
  }
  return [rootSummary(place), ...found];
}

function dependency({ monitor, now }: ServerOutline, id: string): NodeReport["depends_on"] {
  const { state } = monitor.view;
  const { dependsOn = "", dependencyExpiresAt = 0 } = state.node(id) ?? {};
  if (dependsOn === "" || dependencyExpiresAt <= now) return null;
  return { id: dependsOn, path: state.tree.nodes.get(dependsOn)?.path ?? null };
}

async function sensorReport(
  sources: StatusSources,
  { monitor, outline }: ServerOutline,
  { id, parentId }: TreeNode,
  from: number,
  slices: TimeSlices,
): Promise<SensorReport | null> {
  const object = { sensorId: id, channelId: undefined };
  const inspection = monitor.view.inspect(id, choiceOf(object, from), sources.clock.monotonic());
  const explanation = inspection && (await explainSensor(inspection, object, sources, slices));
  if (explanation === undefined) return null;
  const { sensor, statusSince, lastUp, lastDown, lastMeasuredAt, staleAfterMs, channelCount, channelsFrom } =
    explanation.inspection;
  return {
    kind: sensor.type,
    kind_name: sensor.typeName,
    interval_seconds: sensor.intervalSeconds ?? null,
    stale_after_seconds: staleAfterMs === undefined ? null : staleAfterMs / 1_000,
    status_since: instantOrNull(statusSince),
    last_up_at: instantOrNull(lastUp),
    last_down_at: instantOrNull(lastDown),
    last_measurement_at: instantOrNull(lastMeasuredAt),
    series: [...explanation.lines],
    channels_total: channelCount,
    channels_from: channelsFrom,
    channels: explanation.channels.map((channel) => channelReport(channel, sources.mapper.hasRules)),
    siblings: siblingsOf(outline, parentId, id),
  };
}

function siblingsOf(outline: Outline, parentId: string, id: string): SensorReport["siblings"] {
  const sensors = outline.children(parentId).filter(({ kind }) => kind === "sensor");
  const at = sensors.findIndex((sensor) => sensor.id === id);
  const sibling = (place: number) => {
    const sensor = sensors[place];
    return sensor === undefined ? null : { id: sensor.id, name: sensor.name };
  };
  return { position: at + 1, total: sensors.length, previous: sibling(at - 1), next: sibling(at + 1) };
}

function channelReport({ channel, account, lines }: ChannelExplanation, hasRules: boolean): ChannelReport {
  const { channelId, name, unit, state, value, measuredAt, limits } = channel;
  return {
    channel_id: channelId,
    name,
    unit,
    state,
    value: value ?? null,
    measured_at: instantOrNull(measuredAt),
    limits: Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)),
    rule: hasRules ? account.reason : null,
    series: [...lines],
  };
}

/** Best first: id or name, start of a name, part of a name, anything else. */
const RANKS = 4;

export async function searchReport(
  sources: StatusSources,
  outlineOf: OutlineOf,
  { text, server, status }: SearchQuery,
  slices: TimeSlices,
): Promise<SearchReport> {
  const phrase = text.trim().toLowerCase();
  const words = phrase.split(/\s+/).filter((word) => word !== "");
  const token = status === undefined ? undefined : parseStatus(status);
  const ranked = Array.from({ length: RANKS }, (): [ServerTree, TreeNode][] => []);
  let total = 0;
  for (const [name, monitor] of sources.monitors) {
    if (server !== undefined && name !== server) continue;
    const place = { server: name, monitor };
    for (const node of monitor.view.state.tree.nodes.values()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (status !== undefined && !hasStatus(monitor, node, token, sources.clock.monotonic())) continue;
      if (!words.every((word) => occurs(node, word))) continue;
      total++;
      const best = ranked[rank(node, phrase)];
      if (best !== undefined && best.length < MAX_FOUND) best.push([place, node]);
    }
  }
  const items: NodeSummary[] = [];
  for (const [place, node] of ranked.flat().slice(0, MAX_FOUND)) {
    // Nothing is below a sensor.
    const outline = node.kind === "sensor" ? NOTHING_BELOW : await outlineOf(place.monitor);
    const webUrl = webUrlOf(sources, place.server);
    items.push(summary({ ...place, webUrl, outline, now: sources.clock.monotonic() }, node));
  }
  return { generated_at: instant(sources.clock.now()), total, items };
}

function hasStatus({ view }: Monitor, node: TreeNode, token: StatusToken | undefined, now: number): boolean {
  return node.kind === "sensor" && token !== undefined && (view.state.statusOf(node, now) ?? "unknown") === token;
}

function occurs({ path, id, host, tags }: TreeNode, word: string): boolean {
  return (
    id === word ||
    path.toLowerCase().includes(word) ||
    host?.toLowerCase().includes(word) === true ||
    tags.some((tag) => tag.toLowerCase().includes(word))
  );
}

function rank({ id, name }: TreeNode, phrase: string): number {
  const lower = name.toLowerCase();
  if (id === phrase || lower === phrase) return 0;
  if (lower.startsWith(phrase)) return 1;
  return lower.includes(phrase) ? 2 : 3;
}
