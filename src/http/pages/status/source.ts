import type { ChartOutcome, StatusCourse } from "./courses.ts";
import type { NodeReport, SearchReport, StatusReport } from "./report.ts";

/** Longest text that is looked for: more words than a name has. */
const MAX_TEXT_LENGTH = 200;
export const ROOT = "0";

/** Which servers are shown. */
export interface StatusQuery {
  /** Undefined: a page of all; otherwise this one, with its details. */
  readonly server?: string | undefined;
  /** Words that must all occur in the name; empty for all servers. */
  readonly find: string;
  /** From 1 on; beyond the last page: the last one. */
  readonly page: number;
}

export const FIRST_PAGE: StatusQuery = { find: "", page: 1 };

export interface NodeQuery {
  /** Undefined: of the first server that has it. */
  readonly server: string | undefined;
  /** `0` is the root. */
  readonly id: string;
  /** Position of the first child to show. */
  readonly from: number;
}

export interface SearchQuery {
  /** Words that must all occur in path, id, host or tags; empty for every object. */
  readonly text: string;
  /** Undefined: all servers. */
  readonly server: string | undefined;
  /** Undefined: any. Otherwise sensors of that status only. */
  readonly status: string | undefined;
}

/** Reads `?server=&find=&page=`; what is empty was not given. */
export function parseStatusQuery(query: URLSearchParams): StatusQuery {
  const page = query.get("page") ?? "";
  return {
    server: query.get("server") || undefined,
    find: (query.get("find") ?? "").slice(0, MAX_TEXT_LENGTH).trim(),
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
  };
}

/** Reads `?q=&server=&status=`; what is empty was not given. */
export function parseSearchQuery(query: URLSearchParams): SearchQuery {
  return {
    text: (query.get("q") ?? "").slice(0, MAX_TEXT_LENGTH).trim(),
    server: query.get("server") || undefined,
    status: query.get("status") || undefined,
  };
}

/** Reads `?server=&id=&from=`; in JSON questions the id is called `object`, as in /debug/explain. */
export function parseNodeQuery(query: URLSearchParams): NodeQuery {
  const from = query.get("from") ?? "";
  return {
    server: query.get("server") || undefined,
    id: query.get("id") || query.get("object") || ROOT,
    from: /^\d{1,9}$/.test(from) ? Number(from) : 0,
  };
}

/** Whether anything is asked for but the page itself. */
export function isSearch(query: URLSearchParams): boolean {
  return query.has("q") || query.has("status");
}

/** Whether the last hours of the sensor are to be drawn, which asks its server. */
export function wantsChart(query: URLSearchParams): boolean {
  return query.get("chart") === "1";
}

/**
 * Where the pages get their facts: redacted, and from memory only but for `chart`. `gone` ends the work for a reader
 * that has gone: the promise rejects with its reason.
 */
export interface StatusSource {
  /** Of the first servers where nothing else is asked; undefined when there is no such server. */
  status(question?: StatusQuery, gone?: AbortSignal): Promise<StatusReport | undefined>;
  /** Undefined when there is no such object. */
  node(question: NodeQuery, gone?: AbortSignal): Promise<NodeReport | undefined>;
  search(question: SearchQuery, gone?: AbortSignal): Promise<SearchReport>;
  /** Empty while nothing was counted. */
  course(server: string): StatusCourse;
  /** Asks the monitoring server, at most once a minute for each sensor. Undefined when there is no such sensor. */
  chart(question: Pick<NodeQuery, "server" | "id">, gone: AbortSignal): Promise<ChartOutcome | undefined>;
}
