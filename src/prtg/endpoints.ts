import type { ChannelListOptions, NodeListOptions } from "./monitoring-api.ts";
import { type NodeKind, READING_ORDER } from "./records.ts";
import { SERIES_WINDOW_MS, type SeriesType } from "./series-types.ts";

/** A list and what to ask it for; `limit` and `offset` come with each page. */
export interface ListEndpoint {
  /** Path below `/api/v2`. */
  readonly endpoint: string;
  /** What it is asked for beyond its records. A list without them is still a list: a server may refuse them. */
  readonly optional: readonly OptionalParameter[];
  /** See ListPart. It is sent whatever the server refuses: without it the list would be another one. */
  readonly filter?: string | undefined;
}

/** A value of a query parameter. */
export interface OptionalParameter {
  readonly parameter: string;
  readonly value: string;
}

/*
 * Stable lists come first, then experimental, then deprecated; today none is stable. `path` is not asked for: it would
 * repeat the whole way to the root in each of some ten thousand records, for the sake of the few objects whose parent
 * the user may not see, and those have the parent's id and name in `parent` anyway.
 */

/** Lists of nodes of one kind, the preferred one first, then what stands in for it. */
export function nodeLists(kind: NodeKind, options: NodeListOptions): readonly ListEndpoint[] {
  const include = nodeSections(kind, options);
  const legacy = include.includes(SUMMARY) ? [{ parameter: SUMMARY, value: "true" }] : [];
  const { filter } = options;
  return [
    { endpoint: `/experimental/${kind}s`, optional: include.map(included), filter },
    { endpoint: `/${kind}s`, optional: legacy, filter },
    mixedList(kind, include, filter),
  ];
}

/** Lists of all channels, the preferred one first, then what stands in for it. */
export function channelLists(options: ChannelListOptions): readonly ListEndpoint[] {
  const include = channelSections(options);
  const { filter } = options;
  return [
    { endpoint: "/experimental/channels", optional: include.map(included), filter },
    { endpoint: "/channels", optional: [], filter },
    mixedList("channel", include, filter),
  ];
}

/** One list of all nodes, in place of four: for servers with few. */
export function allNodesList(options: NodeListOptions): ListEndpoint {
  const include = nodeSections("group", options).map(included);
  const filter = READING_ORDER.map((kind) => `type = ${kind}`).join(" or ");
  return { endpoint: "/experimental/objects", optional: include, filter };
}

/** The list of objects of all kinds, of which one is asked for: last, as a filter costs the server more than a list of its own. */
function mixedList(kind: NodeKind | "channel", include: readonly string[], filter: string | undefined): ListEndpoint {
  const ofKind = `type = ${kind}`;
  const both = filter === undefined ? ofKind : `${ofKind} and (${filter})`;
  return { endpoint: "/experimental/objects", optional: include.map(included), filter: both };
}

/** Endpoints that are asked of every server, before anything stands in for them: lists, and others. */
export const PREFERRED_LISTS: readonly string[] = [
  "/experimental/probes",
  "/experimental/groups",
  "/experimental/devices",
  "/experimental/sensors",
  "/experimental/channels",
];
export const PREFERRED_ENDPOINTS: readonly string[] = [
  "/health",
  "/objects/count",
  "/sensor-status-summary",
  ...PREFERRED_LISTS,
];

/** The list of lookup definitions: deprecated, without a successor so far. */
export const LOOKUP_LIST: ListEndpoint = { endpoint: "/lookup-definitions", optional: [] };

/** The auto-discoveries under way: stable. */
export const AUTODISCOVERY_LIST: ListEndpoint = { endpoint: "/autodiscoveries", optional: [] };

/** The one channel of each sensor that the product shows first. Records do not show which it is. */
export const PRIMARY_CHANNELS: ListEndpoint = {
  endpoint: "/experimental/channels",
  optional: [],
  filter: "primary = true",
};

/** How a probe is connected: stable. */
export function probeInfo(id: string): { readonly endpoint: string; readonly path: string } {
  return { endpoint: "/probes/{id}/info", path: `/probes/${encodeURIComponent(id)}/info` };
}

/** Where the time series of sensors are read, the preferred endpoint first, then its fallback. */
export const TIME_SERIES_ENDPOINTS = ["/experimental/timeseries/{id}/{type}", "/experimental/timeseries/{id}"] as const;
export type TimeSeriesEndpoint = (typeof TIME_SERIES_ENDPOINTS)[number];

/** Keeps what the deprecated endpoint is asked for inside the window, whatever the clocks make of it. */
const WINDOW_MARGIN_MS = 60_000;

/**
 * Path and query of one series. The deprecated endpoint is asked for the window of the type up to now: the only way
 * there to tell it which resolution is meant.
 * @param serverNow The server's clock, milliseconds since the epoch.
 * @param channels Whole ids of the channels that are asked for, divided by commas; undefined: all.
 */
export function timeSeriesPath(
  endpoint: TimeSeriesEndpoint,
  sensorId: string,
  type: SeriesType,
  serverNow: number,
  channels?: string,
): string {
  const path = `/experimental/timeseries/${encodeURIComponent(sensorId)}`;
  if (endpoint === TIME_SERIES_ENDPOINTS[0]) {
    return `${path}/${type}${channels === undefined ? "" : `?channels=${channels}`}`;
  }
  const from = new Date(serverNow - SERIES_WINDOW_MS[type] + WINDOW_MARGIN_MS);
  const range = `${path}?from=${from.toISOString().slice(0, 19)}Z`;
  return channels === undefined ? range : `${range}&channels=${channels}`;
}

/** Path and query of one page. Both numbers are always sent: servers differ in what an omitted limit means. */
export function pagePath(list: ListEndpoint, offset: number, limit: number): string {
  const filter = list.filter === undefined ? "" : `&filter=${encodeURIComponent(list.filter)}`;
  return `${list.endpoint}?limit=${limit}&offset=${offset}${optionalQuery(list)}${filter}`;
}

function optionalQuery({ optional }: ListEndpoint): string {
  const values = Map.groupBy(optional, ({ parameter }) => parameter);
  const query = [...values].map(([parameter, each]) => `&${parameter}=${each.map(({ value }) => value).join(",")}`);
  return query.join("");
}

const SUMMARY = "sensor_status_summary";

function nodeSections(kind: NodeKind, { interval, statusSummary }: NodeListOptions): readonly string[] {
  // The specification counts sensors below probes, groups and devices only.
  const isCounted = statusSummary === true && kind !== "sensor";
  return [...(interval === true ? ["intervalgroup"] : []), ...(isCounted ? [SUMMARY] : [])];
}

function channelSections({ limits, lookups }: ChannelListOptions): readonly string[] {
  return [...(limits === true ? ["alerting"] : []), ...(lookups === true ? ["values"] : [])];
}

function included(section: string): OptionalParameter {
  return { parameter: "include", value: section };
}
