import type { ChannelReport, NodeReport, NodeSummary, SensorReport } from "../../http/pages/status/report.ts";
import type { NodeQuery } from "../../http/pages/status/source.ts";
import { sortInSlices, type TimeSlices } from "../../lib/yielding.ts";
import type { Outline } from "../../model/outline.ts";
import { ROOT_ID, type TreeNode } from "../../model/tree.ts";
import { type ChannelExplanation, explainSensor } from "./explanation.ts";
import { compareBy, compareChildren, foundChild } from "./node-order.ts";
import {
  nodeSummary,
  type OutlineOf,
  placeOf,
  rootSummary,
  type ServerOutline,
  type ServerTree,
} from "./node-summary.ts";
import { objectLinks } from "./object-links.ts";
import { instant, instantOrNull } from "./report-values.ts";
import type { StatusSources } from "./sources.ts";

/** Children on one page. */
const MAX_CHILDREN = 50;

/** An object, its ancestors and its children; `undefined` if no server has it. */
export async function nodeReport(
  sources: StatusSources,
  outlineOf: OutlineOf,
  { server, id, from, sort }: NodeQuery,
  slices: TimeSlices,
): Promise<NodeReport | undefined> {
  const found = find(sources, server, ({ monitor }) => id === ROOT_ID || monitor.view.state.tree.nodes.has(id));
  if (found === undefined) return undefined;
  const place = placeOf(sources, found, await outlineOf(found.monitor));
  const node = place.monitor.view.state.tree.nodes.get(id);
  const unsorted = place.outline.children(id).map((child) => foundChild(found, child, place.outline, place.now));
  const children = await sortInSlices(unsorted, compareBy(sort, compareChildren), slices);
  const first = Math.min(from, Math.max(0, children.length - 1));
  return {
    generated_at: instant(sources.clock.now()),
    node: node === undefined ? rootSummary(place) : nodeSummary(place, node),
    host: node?.host ?? null,
    depends_on: dependency(place, id),
    tags: [...(node?.tags ?? [])],
    links: node === undefined ? [] : linksOf(sources, place, node),
    ancestors: node === undefined ? [] : ancestors(place, node),
    children: {
      total: children.length,
      from: first,
      items: children.slice(first, first + MAX_CHILDREN).map(({ node: child }) => nodeSummary(place, child)),
    },
    sensor: node?.kind === "sensor" ? sensorReport(sources, place, node, from) : null,
  };
}

/** The first server that has the object. @param server Only this one. */
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

/** A sensor has the address of its device. */
function linksOf({ config }: StatusSources, { server, monitor }: ServerOutline, node: TreeNode): NodeReport["links"] {
  const host = node.host ?? monitor.view.state.tree.nodes.get(node.deviceId)?.host;
  return objectLinks(config.web.links, server, { ...node, host });
}

function ancestors(place: ServerOutline, node: TreeNode): NodeSummary[] {
  const found: NodeSummary[] = [];
  const { nodes } = place.monitor.view.state.tree;
  for (let above = nodes.get(node.parentId); above !== undefined; above = nodes.get(above.parentId)) {
    found.unshift(nodeSummary(place, above));
  }
  return [rootSummary(place), ...found];
}

function dependency({ monitor, now }: ServerOutline, id: string): NodeReport["depends_on"] {
  const { state } = monitor.view;
  const node = state.node(id);
  const dependsOn = node?.facts.dependsOn ?? "";
  if (node === undefined || dependsOn === "" || node.expiryOf("dependsOn").property <= now) return null;
  return { id: dependsOn, path: state.tree.nodes.get(dependsOn)?.path ?? null };
}

function sensorReport(
  sources: StatusSources,
  { monitor, outline }: ServerOutline,
  { id, parentId }: TreeNode,
  from: number,
): SensorReport | null {
  const explanation = explainSensor(monitor.view, { sensorId: id, from }, sources);
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
    channels: explanation.channels.map((channel) => channelReport(channel, sources.mapper)),
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

function channelReport(
  { channel, account, lines }: ChannelExplanation,
  { hasRules }: StatusSources["mapper"],
): ChannelReport {
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
