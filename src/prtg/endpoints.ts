import type { ListOptions } from "./monitoring-api.ts";
import { NODE_SECTIONS, type NodeKind, READING_ORDER, type Section } from "./node-record.ts";
import { CHANNEL_SECTIONS } from "./records.ts";
import { SERIES_WINDOW_MS, type SeriesType } from "./series-types.ts";

export interface ListEndpoint {
  readonly endpoint: string;
  /** Values of one parameter. Servers may refuse these. The list works without them. */
  readonly optional: readonly OptionalParameter[];
  /** Always sent, because without it the list would be another one. */
  readonly filter?: string | undefined;
}

export interface OptionalParameter {
  readonly parameter: string;
  readonly value: string;
}

/*
 * Order: stable, experimental, deprecated. No list is stable today. Does not request `path`, which repeats the way to
 * the root in each record. The few objects with an invisible parent have its id and name in `parent`.
 */

/** Preferred list first, then fallbacks. */
export function nodeLists(kind: NodeKind, options: ListOptions): readonly ListEndpoint[] {
  const include = nodeSections(kind, options);
  const legacy = include.includes(SUMMARY) ? [{ parameter: SUMMARY, value: "true" }] : [];
  const { filter } = options;
  return [
    { endpoint: `/experimental/${kind}s`, optional: include.map(included), filter },
    { endpoint: `/${kind}s`, optional: legacy, filter },
    mixedList(kind, include, filter),
  ];
}

/** Preferred list first, then fallbacks. */
export function channelLists(options: ListOptions): readonly ListEndpoint[] {
  const include = CHANNEL_SECTIONS.map(({ name }) => name).filter((name) => options.sections?.has(name));
  const { filter } = options;
  return [
    { endpoint: "/experimental/channels", optional: include.map(included), filter },
    { endpoint: "/channels", optional: [], filter },
    mixedList("channel", include, filter),
  ];
}

/** One list of all nodes instead of four, for small servers. */
export function allNodesList(options: ListOptions): ListEndpoint {
  const include = nodeSections("group", options).map(included);
  const filter = READING_ORDER.map((kind) => `type = ${kind}`).join(" or ");
  return { endpoint: "/experimental/objects", optional: include, filter };
}

/** Last, because filters cost the server more than separate lists. */
function mixedList(kind: NodeKind | "channel", include: readonly Section[], filter: string | undefined): ListEndpoint {
  const ofKind = `type = ${kind}`;
  const both = filter === undefined ? ofKind : `${ofKind} and (${filter})`;
  return { endpoint: "/experimental/objects", optional: include.map(included), filter: both };
}

/** Endpoints that every server is asked for first. */
export const PREFERRED_LISTS = ["probes", "groups", "devices", "sensors", "channels"].map(
  (list) => `/experimental/${list}`,
);
export const PREFERRED_ENDPOINTS = ["/health", "/objects/count", "/sensor-status-summary", ...PREFERRED_LISTS];

export const LOOKUP_LIST: ListEndpoint = { endpoint: "/lookup-definitions", optional: [] };

export const ACCOUNT_LIST: ListEndpoint = { endpoint: "/experimental/users", optional: [] };

export const AUTODISCOVERY_LIST: ListEndpoint = { endpoint: "/autodiscoveries", optional: [] };

const ALL_CHANNELS: ListEndpoint = { endpoint: "/experimental/channels", optional: [] };

/** Records do not show which channel is primary. */
export const PRIMARY_CHANNELS: ListEndpoint = { ...ALL_CHANNELS, filter: "primary = true" };

export function probeInfo(id: string): { readonly endpoint: string; readonly path: string } {
  return { endpoint: "/probes/{id}/info", path: `/probes/${encodeURIComponent(id)}/info` };
}

/** Preferred endpoint first. */
export const TIME_SERIES_ENDPOINTS = ["/experimental/timeseries/{id}/{type}", "/experimental/timeseries/{id}"] as const;
export type TimeSeriesEndpoint = (typeof TIME_SERIES_ENDPOINTS)[number];

/** Keeps the range inside the window if clocks differ. */
const WINDOW_MARGIN_MS = 60_000;

/**
 * The deprecated endpoint needs the window of the type, which is its only way to select a resolution.
 * @param serverNow Milliseconds since the epoch.
 * @param channels Whole ids, separated by commas. Default: all.
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

/** Always sends both numbers, because defaults differ between servers. */
export function pagePath(list: ListEndpoint, offset: number, limit: number): string {
  const filter = list.filter === undefined ? "" : `&filter=${encodeURIComponent(list.filter)}`;
  return `${list.endpoint}?limit=${limit}&offset=${offset}${optionalQuery(list)}${filter}`;
}

function optionalQuery({ optional }: ListEndpoint): string {
  const [first] = optional;
  return first === undefined ? "" : `&${first.parameter}=${optional.map(({ value }) => value).join(",")}`;
}

const SUMMARY = "sensor_status_summary";

function nodeSections(kind: NodeKind, { sections }: ListOptions): readonly Section[] {
  const requested = NODE_SECTIONS.filter(({ name }) => sections?.has(name));
  return requested.filter(({ kinds }) => kinds.some((each) => each === kind)).map(({ name }) => name);
}

function included(section: Section): OptionalParameter {
  return { parameter: "include", value: section };
}
