/** Relative, so that any path of a proxy works. All pages are siblings. */
export const HOME = "./";

export function overviewLink(find: string, page: number): string {
  return `${HOME}${query({ find: find || undefined, page: page === 1 ? undefined : String(page) })}`;
}

/** The page of a server is the page of its root. */
export function serverLink(server: string): string {
  return `./tree${query({ server })}`;
}

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
  const entries = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}

/** Returns `url` only if it is safe to follow, which excludes `javascript:`. */
export function webAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed.href : undefined;
}
