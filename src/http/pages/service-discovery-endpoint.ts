import type { IncomingMessage, ServerResponse } from "node:http";
import { totalLength } from "../../lib/buffers.ts";
import { respondText, streamPage } from "../server/responses.ts";

/** Of each list that is not empty, one must fit. */
export interface DiscoveryQuery {
  readonly servers: readonly string[];
  readonly kinds: readonly string[];
  readonly tags: readonly string[];
  readonly probes: readonly string[];
  readonly groups: readonly string[];
  readonly statuses: readonly string[];
  /** Behind each host; undefined: hosts as they are. */
  readonly port: number | undefined;
}

export type DiscoveryResult =
  /** Pieces of a JSON array. */
  | { readonly status: 200; readonly json: readonly Buffer[] }
  /** Prometheus keeps its list. */
  | { readonly status: 400 | 404 | 503; readonly text: string };

/** From memory; `gone` may end it early. */
export type Discovery = (question: DiscoveryQuery, gone?: AbortSignal) => Promise<DiscoveryResult>;

const LISTS = {
  server: "servers",
  kind: "kinds",
  tag: "tags",
  probe: "probes",
  group: "groups",
  status: "statuses",
} as const satisfies Record<string, keyof DiscoveryQuery>;

type ListParameter = keyof typeof LISTS;

const PARAMETERS = [...Object.keys(LISTS), "port"];
const MAX_PORT = 65_535;

/** Devices as targets of Prometheus' HTTP service discovery; GET and HEAD. */
export function serviceDiscoveryEndpoint(discovery: Discovery) {
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
    made: () => void,
  ): Promise<void> => {
    const question = parseQuery(new URL(request.url ?? "/", "http://exporter").searchParams);
    if (typeof question === "string") return respondText(response, 400, `${question}\n`);
    const answer = await discovery(question, gone);
    made();
    if (answer.status !== 200) return respondText(response, answer.status, `${answer.text}\n`);
    response.writeHead(200, {
      // Prometheus takes no other type.
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": totalLength(answer.json),
      "Cache-Control": "no-store",
    });
    if (request.method === "HEAD") response.end();
    else await streamPage(response, { beginning: answer.json, end: async () => [] });
  };
}

/** Or what is wrong: a misspelt filter would let everything through. */
function parseQuery(query: URLSearchParams): DiscoveryQuery | string {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return `unknown parameter: expected ${PARAMETERS.join(", ")}`;
  const lists = (Object.keys(LISTS) as ListParameter[]).map((name) => [LISTS[name], query.getAll(name)] as const);
  const ports = query.getAll("port");
  const [port = ""] = ports;
  const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= MAX_PORT;
  if (ports.length > 1 || (ports.length === 1 && !isPort)) return `port: expected one number from 1 to ${MAX_PORT}`;
  const { servers = [], kinds = [], tags = [], probes = [], groups = [], statuses = [] } = Object.fromEntries(lists);
  return { servers, kinds, tags, probes, groups, statuses, port: isPort ? Number(port) : undefined };
}
