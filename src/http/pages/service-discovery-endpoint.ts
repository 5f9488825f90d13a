import type { IncomingMessage, ServerResponse } from "node:http";
import { totalLength } from "../../lib/buffers.ts";
import { respondText, streamPage } from "../server/responses.ts";

/** A device must match one item of each list that is not empty. */
export interface DiscoveryQuery {
  readonly servers: readonly string[];
  readonly kinds: readonly string[];
  readonly tags: readonly string[];
  readonly probes: readonly string[];
  readonly groups: readonly string[];
  readonly statuses: readonly string[];
  /** Port to append to each host. `undefined`: none. */
  readonly port: number | undefined;
}

export type DiscoveryResult =
  | { readonly status: 200; readonly json: readonly Buffer[] }
  /** Prometheus keeps its previous list. */
  | { readonly status: 400 | 404 | 503; readonly text: string };

/** Answers from memory. `signal` may abort it. */
export type Discovery = (question: DiscoveryQuery, signal?: AbortSignal) => Promise<DiscoveryResult>;

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

/** Devices as targets of Prometheus' HTTP service discovery. */
export function serviceDiscoveryEndpoint(discovery: Discovery) {
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
    made: () => void,
  ): Promise<void> => {
    const question = parseQuery(new URL(request.url ?? "/", "http://exporter").searchParams);
    if (typeof question === "string") return respondText(response, 400, `${question}\n`);
    const answer = await discovery(question, signal);
    made();
    if (answer.status !== 200) return respondText(response, answer.status, `${answer.text}\n`);
    response.writeHead(200, {
      // Prometheus requires this type.
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": totalLength(answer.json),
      "Cache-Control": "no-store",
    });
    if (request.method === "HEAD") response.end();
    else await streamPage(response, { beginning: answer.json, end: async () => [] });
  };
}

/** Returns text for an invalid query: a misspelt filter would match everything. */
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
