import { badRequest } from "../api-errors.ts";
import { integerParameter } from "./parameters.ts";

/** "Maximum objects per page" for all lists. */
const MAX_LIMIT = 3000;

/** Which part of a list is asked for. */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

/** How a fault has moved a list since its first page was read. */
export interface ListMove {
  /** Items that vanished before the offset, less those that appeared. */
  readonly shift: number;
  /** Items more or less than there are. */
  readonly total: number;
  /** Items that went from the beginning of the list to its end. */
  readonly wrapped: number;
  /** The list begins anew where it ends. */
  readonly isEndless: boolean;
}

export const UNMOVED: ListMove = { shift: 0, total: 0, wrapped: 0, isEndless: false };

/** A limit of 0 means as many as allowed; omitted, servers differ. @throws RequestRefused BAD_REQUEST */
export function parsePage(query: URLSearchParams, defaultLimit: number): PageRequest {
  const offset = integerParameter(query, "offset") ?? 0;
  const limit = integerParameter(query, "limit") ?? defaultLimit;
  if (offset < 0) throw badRequest("offset must not be negative");
  if (limit < 0 || limit > MAX_LIMIT) throw badRequest(`limit must be between 0 and ${MAX_LIMIT}`);
  return { offset, limit: limit === 0 ? MAX_LIMIT : limit };
}

/** Part of the concatenation of several lists, which are not joined for it: together they can be very long. */
export function slicePage<Item>(lists: readonly (readonly Item[])[], { offset, limit }: PageRequest): Item[] {
  const page: Item[] = [];
  let start = 0;
  for (const list of lists) {
    const from = Math.max(0, offset - start);
    const to = Math.min(list.length, offset + limit - start);
    for (let i = from; i < to; i++) {
      const item = list[i];
      if (item !== undefined) page.push(item);
    }
    start += list.length;
  }
  return page;
}

/** The header `Link` with the neighbours that exist. The previous page ends where this one begins. */
export function linkHeader(url: URL, { offset, limit }: PageRequest, total: number): string | undefined {
  const links: string[] = [];
  const end = Math.min(offset, total);
  if (end > 0) links.push(link(url, Math.max(0, end - limit), Math.min(limit, end), "previous"));
  if (offset + limit < total) links.push(link(url, offset + limit, limit, "next"));
  return links.length === 0 ? undefined : links.join(", ");
}

function link(url: URL, offset: number, limit: number, relation: "previous" | "next"): string {
  const target = new URL(url);
  target.searchParams.set("limit", String(limit));
  target.searchParams.set("offset", String(offset));
  return `<${target.href}>; rel="${relation}"`;
}
