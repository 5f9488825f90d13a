import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { pino } from "pino";
import { webObserver } from "../../../src/cli/web-config.ts";
import { createRoutes } from "../../../src/http/pages/routes.ts";
import { startWebServer } from "../../../src/http/server/connection-handler.ts";
import { isPostRoute, type RouteHandler } from "../../../src/http/server/responses.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import {
  type SimulatedExporter,
  type SimulatedExporterOptions,
  startSimulatedExporter,
} from "../../support/simulated-exporter.ts";

/** An answer of the exporter's web server, from its headers. */
export interface Access {
  /** Path and query. */
  readonly url: string;
  readonly userAgent: string;
  readonly status: number;
  readonly contentType: string;
  readonly contentEncoding: string;
}

/** A page as the web server received it. */
interface ServedPage {
  readonly format: string;
  readonly text: () => string;
}

/** A full exporter with web server over a simulator with stopped time. */
export interface ScrapedExporter extends SimulatedExporter {
  /** host:port to scrape. */
  readonly address: string;
  /** Stopped simulated time, milliseconds since the epoch. */
  readonly at: number;
  readonly accesses: readonly Access[];
  readonly pages: readonly ServedPage[];
  /** Over HTTP with compression, like any scraper. */
  fetchPage(accept?: string): Promise<string>;
}

export async function startScrapedExporter(options: SimulatedExporterOptions = {}): Promise<ScrapedExporter> {
  const running = await startSimulatedExporter({ clock: systemClock, ...options });
  const { exporter, simulator } = running;
  const at = running.clock.now();
  simulator.freezeAt(at);
  exporter.metrics.collectProcessMetrics();
  const pages: ServedPage[] = [];
  const routes = createRoutes({
    telemetryPath: "/metrics",
    exposition: {
      streamedPage: async (format, encoding, shard) => {
        const beginning = await exporter.exposition.page(format, encoding, shard);
        const bytes = Buffer.concat(beginning);
        pages.push({ format: format.body, text: () => (encoding === "gzip" ? gunzipSync(bytes) : bytes).toString() });
        return { beginning, end: async () => [] };
      },
    },
    served: (format) => exporter.metrics.exposition.scraped({ format }),
    isReady: () => true,
    debug: exporter.debug,
    discovery: exporter.discovery,
  });
  const accesses: Access[] = [];
  const web = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    log: pino({ level: "silent" }),
    routes: new Map(
      [...routes].map(([path, route]) => [path, isPostRoute(route) ? route : recording(route, accesses)]),
    ),
    observer: webObserver(() => exporter.metrics),
  });
  const url = web.urls[0] ?? "";
  return {
    ...running,
    at,
    accesses,
    pages,
    address: new URL(url).host,
    fetchPage: async (accept = "*/*") => {
      const answer = await fetch(`${url}/metrics`, { headers: { accept } });
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      return answer.text();
    },
    close: async () => {
      await web.close(0);
      await running.close();
    },
  };
}

function recording(handler: RouteHandler, accesses: Access[]): RouteHandler {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    try {
      await handler(request, response);
    } finally {
      // The client may leave before the format is chosen.
      void closed.then(() =>
        accesses.push({
          url: request.url ?? "",
          userAgent: request.headers["user-agent"] ?? "",
          status: response.statusCode,
          contentType: String(response.getHeader("content-type")),
          contentEncoding: String(response.getHeader("content-encoding") ?? "identity"),
        }),
      );
    }
  };
}
