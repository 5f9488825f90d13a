import type { NodeQuestion, SearchQuestion } from "./source.ts";

/** Longest text that is looked for: more words than a name has. */
const LONGEST = 200;
const ROOT = "0";

/** Reads `?q=&server=&status=`; what is empty was not given. */
export function searchQuestion(query: URLSearchParams): SearchQuestion {
  return {
    text: (query.get("q") ?? "").slice(0, LONGEST).trim(),
    server: query.get("server") || undefined,
    status: query.get("status") || undefined,
  };
}

/** Reads `?server=&id=&from=`; in JSON questions the id is called `object`, as in /debug/explain. */
export function nodeQuestion(query: URLSearchParams): NodeQuestion {
  const from = query.get("from") ?? "";
  return {
    server: query.get("server") || undefined,
    id: query.get("id") || query.get("object") || ROOT,
    from: /^\d{1,9}$/.test(from) ? Number(from) : 0,
  };
}

/** Whether anything is asked for but the page itself. */
export function asksForSearch(query: URLSearchParams): boolean {
  return query.has("q") || query.has("status");
}
