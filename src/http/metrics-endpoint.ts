import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import type { Exposition } from "../exposition/exposition.ts";
import { negotiateEncoding, negotiateFormat } from "../exposition/negotiate.ts";
import { MOST_PARTS, type Part, parsePart, WHOLE } from "../exposition/part.ts";
import { respondText } from "./web-server.ts";

export interface MetricsEndpointOptions {
  readonly exposition: Pick<Exposition, "pageInTwo">;
  /** Told the media type of each page served. */
  readonly served: (mediaType: string) => void;
}

const USAGE = `shard: expected i/n, the i-th of n parts, with i from 0 to n - 1 and n from 1 to ${MOST_PARTS}\n`;

/** Serves the metrics page, or with `?shard=i/n` a part of it, in the form that the scraper asked for; GET and HEAD. */
export function metricsEndpoint(options: MetricsEndpointOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const part = partOf(request.url ?? "/");
    if (part === undefined) {
      respondText(response, 400, USAGE);
      return;
    }
    const format = negotiateFormat(request.headers);
    const encoding = negotiateEncoding(request.headers);
    const { beginning, end } = await options.exposition.pageInTwo(format, encoding, part, whenSent(request, response));
    response.setHeader("Content-Type", format.contentType);
    response.setHeader("Vary", "Accept, Accept-Encoding");
    if (encoding === "gzip") response.setHeader("Content-Encoding", "gzip");
    if (request.method !== "HEAD") {
      send(response, beginning);
      send(response, await end(), true);
    } else response.end();
    options.served(format.contentType.split(";")[0] ?? "");
  };
}

/** Together, so that the operating system is asked once: a response's own cork would let go of each buffer by itself. */
function send(response: ServerResponse, buffers: readonly Buffer[], isEnd = false): void {
  const { socket } = response;
  socket?.cork();
  for (const buffer of buffers) response.write(buffer);
  if (isEnd) response.end();
  socket?.uncork();
}

/**
 * Settles when nobody looks at what was written any more. Undefined for HTTP/2: there a stream ends before its session
 * has written the last of it.
 */
function whenSent(request: IncomingMessage, response: ServerResponse): Promise<unknown> | undefined {
  if (request.httpVersionMajor !== 1) return undefined;
  return finished(response).catch(() => undefined);
}

/** Undefined where the query asks for what is no part of a page. */
function partOf(url: string): Part | undefined {
  const [shard, ...more] = new URL(url, "http://exporter").searchParams.getAll("shard");
  if (shard === undefined) return WHOLE;
  return more.length === 0 ? parsePart(shard) : undefined;
}
