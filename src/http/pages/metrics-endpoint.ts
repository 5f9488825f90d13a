import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import { type Exposition, TooManyPages } from "../../exposition/exposition.ts";
import { mediaTypeOf, negotiateEncoding, negotiateFormat } from "../../exposition/negotiate.ts";
import type { PageReader } from "../../exposition/page-readers.ts";
import { MAX_SHARDS, parseShard, type Shard, type StreamedPage, WHOLE_PAGE } from "../../exposition/representation.ts";
import { disconnectSignal, isClosed } from "../server/response-lifetime.ts";
import { respondBusy, respondText, streamPage } from "../server/responses.ts";

export interface MetricsEndpointOptions {
  readonly telemetryPath: string;
  readonly exposition: Pick<Exposition, "streamedPage">;
  readonly hasServer?: ((name: string) => boolean) | undefined;
  readonly served: (mediaType: string) => void;
  /** Counts requests that are refused or cut to protect others. */
  readonly rejected?: ((reason: "requests" | "slow_reader") => void) | undefined;
}

interface Refusal {
  readonly status: 400 | 403 | 404;
  readonly text: string;
}

const NO_SHARD = `shard: expected i/n, the i-th of n parts, with i from 0 to n - 1 and n from 1 to ${MAX_SHARDS}\n`;
const TWO_WAYS = "server: not allowed, because the path already names a server\n";
const NO_SERVER = "The configuration has no server with this name.\n";
const NOT_YOURS = "This user has no access to the metrics of this server.\n";

/**
 * The metrics page or a part of it: `?shard=i/n`, `?server=NAME` (repeatable), or a server name in the path. @param only The servers that
 * this user sees. `undefined`: all.
 */
export function metricsEndpoint(options: MetricsEndpointOptions, only?: readonly string[]) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const part = partOf(request.url ?? "/", options, only);
    if ("status" in part) {
      respondText(response, part.status, part.text);
      return;
    }
    const format = negotiateFormat(request.headers);
    const encoding = negotiateEncoding(request.headers);
    const served = () => {
      response.setHeader("Content-Type", format.contentType);
      response.setHeader("Vary", "Accept, Accept-Encoding");
      if (encoding === "gzip") response.setHeader("Content-Encoding", "gzip");
      options.served(mediaTypeOf(format.contentType));
    };
    if (request.method === "HEAD") {
      // HEAD needs no page.
      served();
      response.end();
      return;
    }
    // If the client disconnected during the password check, no event reports it.
    if (isClosed(response)) return;
    const reader = readerOf(response, options);
    let page: StreamedPage;
    try {
      page = await options.exposition.streamedPage(format, encoding, part, reader);
    } catch (error) {
      if (reader.gone.aborted && error === reader.gone.reason) return;
      if (!(error instanceof TooManyPages)) throw error;
      options.rejected?.("requests");
      respondBusy(response);
      return;
    }
    served();
    await streamPage(response, page);
  };
}

function readerOf(response: ServerResponse, { rejected }: MetricsEndpointOptions): PageReader {
  return {
    used: finished(response).catch(() => undefined),
    gone: disconnectSignal(response),
    cut: () => {
      if (isClosed(response)) return;
      rejected?.("slow_reader");
      response.destroy();
    },
  };
}

function partOf(
  url: string,
  { telemetryPath, hasServer = () => false }: MetricsEndpointOptions,
  only: readonly string[] | undefined,
): Shard | Refusal {
  const at = url.indexOf("?");
  const path = at === -1 ? url : url.slice(0, at);
  const query = new URLSearchParams(at === -1 ? "" : url.slice(at));
  const [text, ...more] = query.getAll("shard");
  const shard = text === undefined ? WHOLE_PAGE : parseShard(text);
  if (shard === undefined || more.length > 0) return { status: 400, text: NO_SHARD };
  const inQuery = query.getAll("server");
  const inPath = path === telemetryPath ? undefined : decoded(path.slice(telemetryPath.length + 1));
  if (inPath !== undefined && inQuery.length > 0) return { status: 400, text: TWO_WAYS };
  const names = inPath === undefined ? inQuery : [inPath];
  // This user must not learn which servers exist.
  if (only !== undefined && !names.every((name) => only.includes(name))) return { status: 403, text: NOT_YOURS };
  if (!names.every(hasServer)) return { status: 404, text: NO_SERVER };
  const servers = names.length === 0 ? only?.filter(hasServer) : names;
  return servers === undefined ? shard : { ...shard, servers: [...new Set(servers)].toSorted() };
}

/** Returns the text itself if it is not valid percent-encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
