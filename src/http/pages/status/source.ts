import type { ChangesReport } from "./changes-report.ts";
import type { ChartOutcome, StatusCourse } from "./courses.ts";
import type { AnyStatusReport, NodeReport, SearchReport } from "./report.ts";

const MAX_TEXT_LENGTH = 200;
export const ROOT = "0";

export interface StatusQuery {
  /** `undefined`: a page of all servers. */
  readonly server?: string | undefined;
  /** Words in the name. Empty: all servers. */
  readonly find: string;
  /** Starts at 1. A higher number than the last means the last page. */
  readonly page: number;
  readonly view: ProblemsView;
}

/** Problems with or without those that are part of an outage. */
export const PROBLEMS_VIEWS = ["grouped", "single"] as const;
export type ProblemsView = (typeof PROBLEMS_VIEWS)[number];

export const FIRST_PAGE: StatusQuery = { find: "", page: 1, view: "grouped" };

export const SORT_KEYS = ["status", "priority", "name", "since", "measured"] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface Sort {
  readonly key: SortKey;
  readonly isDescending: boolean;
}

export interface NodeQuery {
  /** `undefined`: the first server that has the object. */
  readonly server: string | undefined;
  /** `0` is the root. */
  readonly id: string;
  /** Index of the first child. */
  readonly from: number;
  /** Order of children. `undefined`: problems first. */
  readonly sort?: Sort | undefined;
}

export interface SearchQuery {
  /** Words in path, id, host or tags. Empty: all objects. */
  readonly text: string;
  /** `undefined`: all servers. */
  readonly server: string | undefined;
  /** Only sensors in one of these statuses, in any spelling of the API. Empty: any. */
  readonly statuses: readonly string[];
  /** Only objects with one of these priorities. Empty: any. */
  readonly priorities: readonly number[];
  /** The whole tag, own or inherited. Empty: any. */
  readonly tag: string;
  /** Part of the name of the probe. Empty: any. */
  readonly probe: string;
  /** `undefined`: problems first, then the best matches. */
  readonly sort?: Sort | undefined;
  /** Starts at 1. A higher number than the last means the last page. */
  readonly page: number;
}

export interface ChangesQuery {
  /** `undefined`: all servers. */
  readonly server: string | undefined;
  /** Age of the oldest change, milliseconds. `undefined`: all that the exporter knows. */
  readonly withinMs?: number | undefined;
  /** Default: the most that a page holds. */
  readonly size?: number | undefined;
  /** Starts at 1. A higher number than the last means the last page. */
  readonly page: number;
}

/** The part of the overview. */
export const LAST_HOUR: ChangesQuery = { server: undefined, withinMs: 3_600_000, size: 10, page: 1 };

/** The page or JSON answers 400 and names the known values. */
export class QueryError extends Error {
  readonly known: readonly string[];

  constructor(parameter: string, value: string, known: readonly string[]) {
    super(`unknown ${parameter} "${value}"`);
    this.known = known;
  }
}

/** `?server=&find=&page=&view=`. Ignores empty values. @throws QueryError */
export function parseStatusQuery(query: URLSearchParams, usualView: ProblemsView): StatusQuery {
  const text = query.get("view") || usualView;
  const view = PROBLEMS_VIEWS.find((known) => known === text);
  if (view === undefined) throw new QueryError("view", text.slice(0, MAX_TEXT_LENGTH), PROBLEMS_VIEWS);
  return { server: query.get("server") || undefined, find: parseText(query, "find"), page: parsePage(query), view };
}

/**
 * `?q=&server=&status=&priority=&tag=&probe=&sort=&page=`. Ignores empty values. A list has commas or repeats its
 * parameter. @throws QueryError
 */
export function parseSearchQuery(query: URLSearchParams): SearchQuery {
  return {
    text: parseText(query, "q"),
    server: query.get("server") || undefined,
    statuses: parseList(query, "status"),
    priorities: parseList(query, "priority").map(parsePriority),
    tag: parseText(query, "tag"),
    probe: parseText(query, "probe"),
    sort: parseSort(query),
    page: parsePage(query),
  };
}

/** `?server=&page=`. Ignores empty values. */
export function parseChangesQuery(query: URLSearchParams): ChangesQuery {
  return { server: query.get("server") || undefined, page: parsePage(query) };
}

/** `?server=&id=`. */
export function parseObjectId(query: URLSearchParams): Pick<NodeQuery, "server" | "id"> {
  return { server: query.get("server") || undefined, id: query.get("id") || query.get("object") || ROOT };
}

/** `?server=&id=&from=&sort=`. JSON names the id `object`, like /debug/explain. @throws QueryError */
export function parseNodeQuery(query: URLSearchParams): NodeQuery {
  return { ...parseObjectId(query), from: parsePosition(query), sort: parseSort(query) };
}

/** `?from=`: number of items before the page. */
export function parsePosition(query: URLSearchParams): number {
  const from = query.get("from") ?? "";
  return /^\d{1,9}$/.test(from) ? Number(from) : 0;
}

function parseText(query: URLSearchParams, name: string): string {
  return (query.get(name) ?? "").slice(0, MAX_TEXT_LENGTH).trim();
}

function parsePage(query: URLSearchParams): number {
  const page = query.get("page") ?? "";
  return /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1;
}

function parseList(query: URLSearchParams, name: string): string[] {
  const values = query.getAll(name).flatMap((value) => value.slice(0, MAX_TEXT_LENGTH).split(","));
  return [...new Set(values.map((value) => value.trim()).filter((value) => value !== ""))];
}

const PRIORITIES = ["1", "2", "3", "4", "5"];

function parsePriority(text: string): number {
  if (!PRIORITIES.includes(text)) throw new QueryError("priority", text, PRIORITIES);
  return Number(text);
}

function parseSort(query: URLSearchParams): Sort | undefined {
  const text = query.get("sort") || undefined;
  if (text === undefined) return undefined;
  const isDescending = text.startsWith("-");
  const key = SORT_KEYS.find((known) => known === text.slice(isDescending ? 1 : 0));
  if (key === undefined) {
    throw new QueryError(
      "sort key",
      text.slice(0, MAX_TEXT_LENGTH),
      SORT_KEYS.flatMap((known) => [known, `-${known}`]),
    );
  }
  return { key, isDescending };
}

const SEARCH_PARAMETERS = ["q", "status", "priority", "tag", "probe"];

export function isSearch(query: URLSearchParams): boolean {
  return SEARCH_PARAMETERS.some((name) => query.has(name));
}

export function wantsChart(query: URLSearchParams): boolean {
  return query.get("chart") === "1";
}

/** Null: no poll yet. */
export interface DataAge {
  /** End of the last poll, as ISO 8601. */
  readonly as_of: string | null;
  readonly age_seconds: number | null;
}

/** Redacted facts, from memory except for `chart`. If `signal` aborts, the promise rejects with its reason. */
export interface StatusSource {
  /** Default: the first servers. `undefined` for an unknown server. */
  status(question?: StatusQuery, signal?: AbortSignal): Promise<AnyStatusReport | undefined>;
  /** `undefined` for an unknown object. */
  node(question: NodeQuery, signal?: AbortSignal): Promise<NodeReport | undefined>;
  /** Rejects with a `QueryError` for an unknown server or status. */
  search(question: SearchQuery, signal?: AbortSignal): Promise<SearchReport>;
  /** Rejects with a `QueryError` for an unknown server. */
  changes(question: ChangesQuery, signal?: AbortSignal): Promise<ChangesReport>;
  /** Of the server with the oldest data. Default: all servers. */
  age(servers?: readonly string[]): DataAge;
  /** Empty before the first count. */
  course(server: string): StatusCourse;
  /** Reads from the monitoring server, at most once a minute per sensor. `undefined` for an unknown sensor. */
  chart(question: Pick<NodeQuery, "server" | "id">, signal: AbortSignal): Promise<ChartOutcome | undefined>;
}
