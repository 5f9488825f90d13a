import type { ProblemsView, SearchQuery, Sort } from "./source.ts";

/** Relative, so that any path of a proxy works. All pages are siblings, except those below /debug. */
export const HOME = "./";

export function overviewLink(find: string, page: number): string {
  return `${HOME}${query({ find: find || undefined, page: page === 1 ? undefined : String(page) })}`;
}

/** @param view How problems are shown. */
export function problemsLink(view: ProblemsView): string {
  return `${HOME}${query({ view: view === "grouped" ? undefined : view })}`;
}

/** The page of a server is the page of its root. */
export function serverLink(server: string): string {
  return `./tree${query({ server })}`;
}

export function linkTo(path: string): string {
  return `.${path}`;
}

export function nodeLink(
  { server, id }: { readonly server: string; readonly id: string },
  { from = 0, sort }: { readonly from?: number; readonly sort?: Sort | string | undefined } = {},
): string {
  return `./tree${query({ server, id, from: from === 0 ? undefined : String(from), sort: sortText(sort) })}`;
}

export function searchLink(
  question: Partial<Omit<SearchQuery, "sort">> & { readonly sort?: Sort | string | undefined },
): string {
  const { text, server, statuses = [], priorities = [], tag, probe, sort, page = 1 } = question;
  return `./search${query({
    q: text,
    server,
    status: statuses.join(",") || undefined,
    priority: priorities.join(",") || undefined,
    tag: tag || undefined,
    probe: probe || undefined,
    sort: sortText(sort),
    page: page === 1 ? undefined : String(page),
  })}`;
}

/** `-` stands for descending. */
export function sortText(sort: Sort | string | undefined): string | undefined {
  return typeof sort === "object" ? `${sort.isDescending ? "-" : ""}${sort.key}` : sort;
}

export function explainLink(id: string): string {
  return `./debug/explain${query({ object: id })}`;
}

export function runsLink(server: string): string {
  return `./debug/runs${query({ server })}`;
}

function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  // A comma is easier to read as it is.
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries).toString().replaceAll("%2C", ",")}`;
}

/** Returns `url` only if it is safe to follow, which excludes `javascript:`. */
export function webAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed.href : undefined;
}
