import type { ChartOutcome, StatusCourse } from "./courses.ts";
import type { NodeReport, SearchReport, StatusReport } from "./report.ts";

const MAX_TEXT_LENGTH = 200;
export const ROOT = "0";

export interface StatusQuery {
  /** `undefined`: a page of all servers. */
  readonly server?: string | undefined;
  /** Words in the name. Empty: all servers. */
  readonly find: string;
  /** Starts at 1. A higher number than the last means the last page. */
  readonly page: number;
}

export const FIRST_PAGE: StatusQuery = { find: "", page: 1 };

export interface NodeQuery {
  /** `undefined`: the first server that has the object. */
  readonly server: string | undefined;
  /** `0` is the root. */
  readonly id: string;
  /** Index of the first child. */
  readonly from: number;
}

export interface SearchQuery {
  /** Words in path, id, host or tags. Empty: all objects. */
  readonly text: string;
  /** `undefined`: all servers. */
  readonly server: string | undefined;
  /** Only sensors with this status. `undefined`: any. */
  readonly status: string | undefined;
}

/** `?server=&find=&page=`. Ignores empty values. */
export function parseStatusQuery(query: URLSearchParams): StatusQuery {
  const page = query.get("page") ?? "";
  return {
    server: query.get("server") || undefined,
    find: (query.get("find") ?? "").slice(0, MAX_TEXT_LENGTH).trim(),
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
  };
}

/** `?q=&server=&status=`. Ignores empty values. */
export function parseSearchQuery(query: URLSearchParams): SearchQuery {
  return {
    text: (query.get("q") ?? "").slice(0, MAX_TEXT_LENGTH).trim(),
    server: query.get("server") || undefined,
    status: query.get("status") || undefined,
  };
}

/** `?server=&id=&from=`. JSON names the id `object`, like /debug/explain. */
export function parseNodeQuery(query: URLSearchParams): NodeQuery {
  const from = query.get("from") ?? "";
  return {
    server: query.get("server") || undefined,
    id: query.get("id") || query.get("object") || ROOT,
    from: /^\d{1,9}$/.test(from) ? Number(from) : 0,
  };
}

export function isSearch(query: URLSearchParams): boolean {
  return query.has("q") || query.has("status");
}

export function wantsChart(query: URLSearchParams): boolean {
  return query.get("chart") === "1";
}

/** Redacted facts, from memory except for `chart`. If `signal` aborts, the promise rejects with its reason. */
export interface StatusSource {
  /** Default: the first servers. `undefined` for an unknown server. */
  status(question?: StatusQuery, signal?: AbortSignal): Promise<StatusReport | undefined>;
  /** `undefined` for an unknown object. */
  node(question: NodeQuery, signal?: AbortSignal): Promise<NodeReport | undefined>;
  search(question: SearchQuery, signal?: AbortSignal): Promise<SearchReport>;
  /** Empty before the first count. */
  course(server: string): StatusCourse;
  /** Reads from the monitoring server, at most once a minute per sensor. `undefined` for an unknown sensor. */
  chart(question: Pick<NodeQuery, "server" | "id">, signal: AbortSignal): Promise<ChartOutcome | undefined>;
}
