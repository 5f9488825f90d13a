import { nameText, pathText } from "./bounds.ts";
import { type ToolCall, ToolError } from "./tool.ts";

const MAX_NEAREST = 5;

/**
 * Why a source knows no such object: an unknown server, or an unknown ID with the nearest objects by a search. @throws
 * QueryError for an unknown server
 */
export async function unknownObject(
  { source, signal }: Pick<ToolCall, "source" | "signal">,
  server: string | undefined,
  id: string,
): Promise<ToolError> {
  const search = { text: id, server, statuses: [], priorities: [], tag: "", probe: "", page: 1 };
  const { items } = await source.search(search, signal);
  const where = server === undefined ? "" : ` on the server ${JSON.stringify(server)}`;
  const what = `No object has the ID ${JSON.stringify(id)}${where}.`;
  if (items.length === 0) return new ToolError(`${what} Search for its name with find_objects.`);
  const nearest = items.slice(0, MAX_NEAREST).map((node) => ({
    ...{ server: node.server, id: node.id, kind: node.kind },
    untrusted: { name: nameText(node.name), path: pathText(node.path) },
  }));
  return new ToolError(`${what} These objects contain the text.`, { nearest });
}

/** Throws the QueryError of an unknown server, which names the known ones. */
export async function refuseUnknownServer(
  { source, signal }: Pick<ToolCall, "source" | "signal">,
  server: string | undefined,
): Promise<void> {
  await source.changes({ server, withinMs: 1, size: 1, page: 1 }, signal);
}

/** `2490.1` names a channel. */
export function splitId(id: string, channel: string | undefined): { readonly id: string; readonly channel?: string } {
  const dot = id.indexOf(".");
  if (channel !== undefined) return { id, channel };
  return dot > 0 && dot < id.length - 1 ? { id: id.slice(0, dot), channel: id.slice(dot + 1) } : { id };
}
