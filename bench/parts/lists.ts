/** Requests for the pages of one list. */
export interface ListRequests {
  /** Path and query without what differs from page to page. */
  readonly list: string;
  readonly requests: number;
  /** How often the list was read from its beginning. */
  readonly readings: number;
}

/** Sorts the URLs of requests by the list that they are pages of; what is no page is left out. */
export function listsOf(urls: readonly string[]): ListRequests[] {
  const lists = new Map<string, { requests: number; readings: number }>();
  for (const text of urls) {
    const { pathname, searchParams } = new URL(text, "http://server");
    const offset = searchParams.get("offset");
    if (offset === null) continue;
    const rest = [...searchParams].filter(([key]) => key !== "offset" && key !== "limit");
    const list =
      rest.length === 0 ? pathname : `${pathname}?${rest.map(([key, value]) => `${key}=${value}`).join("&")}`;
    const counts = lists.get(list) ?? { requests: 0, readings: 0 };
    counts.requests++;
    if (offset === "0") counts.readings++;
    lists.set(list, counts);
  }
  return [...lists].map(([list, counts]) => ({ list, ...counts }));
}
