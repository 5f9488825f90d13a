import type { IncomingMessage, ServerResponse } from "node:http";
import type { Exposition } from "../exposition/exposition.ts";
import { negotiateEncoding, negotiateFormat } from "../exposition/negotiate.ts";

export interface MetricsEndpointOptions {
  readonly exposition: Pick<Exposition, "page">;
  /** Told the media type of each page served. */
  readonly served: (mediaType: string) => void;
}

/** Serves the metrics page in the form that the scraper asked for; GET and HEAD. */
export function metricsEndpoint(options: MetricsEndpointOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const format = negotiateFormat(request.headers);
    const encoding = negotiateEncoding(request.headers);
    const buffers = await options.exposition.page(format, encoding);
    response.setHeader("Content-Type", format.contentType);
    response.setHeader("Vary", "Accept, Accept-Encoding");
    response.setHeader(
      "Content-Length",
      buffers.reduce((sum, buffer) => sum + buffer.length, 0),
    );
    if (encoding === "gzip") response.setHeader("Content-Encoding", "gzip");
    if (request.method !== "HEAD") for (const buffer of buffers) response.write(buffer);
    response.end();
    options.served(format.contentType.split(";")[0] ?? "");
  };
}
