import type { ChartOutcome, StatusCourse } from "./courses.ts";
import type { NodeReport, SearchReport, StatusReport } from "./report.ts";

/** Longer than any name. */
const MAX_TEXT_LENGTH = 200;
export const ROOT = "0";

export interface StatusQuery {
  /** Undefined: a page of all; else this one with details. */
  readonly server?: string | undefined;
  /** Words that the name must have; empty: all servers. */
  readonly find: string;
  /** From 1; beyond the last: the last. */
  readonly page: number;
}

export const FIRST_PAGE: StatusQuery = { find: "", page: 1 };

export interface NodeQuery {
  /** Undefined: the first server that has it. */
  readonly server: string | undefined;
  /** `0` is the root. */
  readonly id: string;
  /** Of the first child. */
  readonly from: number;
}

export interface SearchQuery {
  /** Words that path, id, host or tags must have; empty: every object. */
  readonly text: string;
  /** Undefined: all servers. */
  readonly server: string | undefined;
  /** Undefined: any; else sensors of that status only. */
  readonly status: string | undefined;
}

/** `?server=&find=&page=`; empty ones count as missing. */
export function parseStatusQuery(query: URLSearchParams): StatusQuery {
  const page = query.get("page") ?? "";
  return {
    server: query.get("server") || undefined,
    find: (query.get("find") ?? "").slice(0, MAX_TEXT_LENGTH).trim(),
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
  };
}

/** `?q=&server=&status=`; empty ones count as missing. */
export function parseSearchQuery(query: URLSearchParams): SearchQuery {
  return {
    text: (query.get("q") ?? "").slice(0, MAX_TEXT_LENGTH).trim(),
    server: query.get("server") || undefined,
    status: query.get("status") || undefined,
  };
}

/** `?server=&id=&from=`; JSON calls the id `object`, as /debug/explain. */
export function parseNodeQuery(query: URLSearchParams): NodeQuery {
  const from = query.get("from") ?? "";
  return {
    server: query.get("server") || undefined,
    id: query.get("id") || query.get("object") || ROOT,
    from: /^\d{1,9}$/.test(from) ? Number(from) : 0,
  };
}

/** The query asks for more than the page itself. */
export function isSearch(query: URLSearchParams): boolean {
  return query.has("q") || query.has("status");
}

/** The last hours of the sensor, from its server. */
export function wantsChart(query: URLSearchParams): boolean {
  return query.get("chart") === "1";
}

/** Redacted facts, from memory but for `chart`. `gone` ends the work: the promise rejects with its reason. */
export interface StatusSource {
  /** Default: the first servers; undefined for an unknown one. */
  status(question?: StatusQuery, gone?: AbortSignal): Promise<StatusReport | undefined>;
  /** Undefined for an unknown object. */
  node(question: NodeQuery, gone?: AbortSignal): Promise<NodeReport | undefined>;
  search(question: SearchQuery, gone?: AbortSignal): Promise<SearchReport>;
  /** Empty before the first count. */
  course(server: string): StatusCourse;
  /** Asks the monitoring server, at most once a minute for a sensor. Undefined for an unknown one. */
  chart(question: Pick<NodeQuery, "server" | "id">, gone: AbortSignal): Promise<ChartOutcome | undefined>;
}
