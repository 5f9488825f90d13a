import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import { type Exposition, TooManyPages } from "../../exposition/exposition.ts";
import { mediaTypeOf, negotiateEncoding, negotiateFormat } from "../../exposition/negotiate.ts";
import type { PageReader } from "../../exposition/reader-memory.ts";
import type { StreamedPage } from "../../exposition/representation.ts";
import { MAX_SHARDS, parseShard, type Shard, WHOLE_PAGE } from "../../exposition/shard.ts";
import { clientGoneSignal, isClosed } from "../server/response-lifetime.ts";
import { respondBusy, respondText, streamPage } from "../server/responses.ts";

export interface MetricsEndpointOptions {
  readonly exposition: Pick<Exposition, "streamedPage">;
  /** Told the media type of each page served. */
  readonly served: (mediaType: string) => void;
  /** Told of a request that was refused, or cut. */
  readonly rejected?: ((reason: "requests" | "slow_reader") => void) | undefined;
}

const USAGE = `shard: expected i/n, the i-th of n parts, with i from 0 to n - 1 and n from 1 to ${MAX_SHARDS}\n`;

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
    const served = () => {
      response.setHeader("Content-Type", format.contentType);
      response.setHeader("Vary", "Accept, Accept-Encoding");
      if (encoding === "gzip") response.setHeader("Content-Encoding", "gzip");
      options.served(mediaTypeOf(format.contentType));
    };
    if (request.method === "HEAD") {
      // Nothing of the page is sent, so nothing is made.
      served();
      response.end();
      return;
    }
    // It may have gone while its password was checked; nothing would tell when it is over.
    if (isClosed(response)) return;
    const reader = readerOf(request, response, options);
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

function readerOf(
  request: IncomingMessage,
  response: ServerResponse,
  { rejected }: MetricsEndpointOptions,
): PageReader {
  return {
    used: finished(response).catch(() => undefined),
    // A stream of HTTP/2 ends before its session has written the last of it.
    isExact: request.httpVersionMajor === 1,
    gone: clientGoneSignal(response),
    cut: () => {
      if (isClosed(response)) return;
      rejected?.("slow_reader");
      response.destroy();
    },
  };
}

/** Undefined where the query asks for what is no part of a page. */
function partOf(url: string): Shard | undefined {
  const [shard, ...more] = new URL(url, "http://exporter").searchParams.getAll("shard");
  if (shard === undefined) return WHOLE_PAGE;
  return more.length === 0 ? parseShard(shard) : undefined;
}
