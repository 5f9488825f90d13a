/**
 * Addresses of the pages. Relative, so that they hold below whatever path a proxy gives the exporter; all pages lie
 * beside one another.
 */
export const HOME = "./";

/** A page of the list of servers. */
export function overviewLink(find: string, page: number): string {
  return `${HOME}${query({ find: find || undefined, page: page === 1 ? undefined : String(page) })}`;
}

/** The page of a server is that of the root of its tree. */
export function serverLink(server: string): string {
  return `./tree${query({ server })}`;
}

/** Of a path such as `/metrics`, as the exporter serves it. */
export function linkTo(path: string): string {
  return `.${path}`;
}

export function nodeLink({ server, id }: { readonly server: string; readonly id: string }, from = 0): string {
  return `./tree${query({ server, id, from: from === 0 ? undefined : String(from) })}`;
}

export function searchLink(question: {
  readonly text?: string | undefined;
  readonly server?: string | undefined;
  readonly status?: string | undefined;
}): string {
  return `./search${query({ q: question.text, server: question.server, status: question.status })}`;
}

export function explainLink(id: string): string {
  return `./debug/explain${query({ object: id })}`;
}

function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** `url` where a browser may go there, else undefined: `javascript:` and the like are no places. */
export function webAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed.href : undefined;
}
