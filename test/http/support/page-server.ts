import { type Logger, pino } from "pino";
import { createRoutes, type RouteOptions } from "../../../src/http/pages/routes.ts";
import { startWebServer, type WebServer } from "../../../src/http/server/connection-handler.ts";

interface PageServer {
  readonly web: WebServer;
  readonly url: string;
  readonly logged: string[];
}

/** Ready, silent, without metrics. `pages` overrides. */
export async function startPageServer(pages: Partial<RouteOptions>): Promise<PageServer> {
  const logged: string[] = [];
  const log: Logger = pino({ level: "debug" }, { write: (line: string) => void logged.push(line) });
  const web = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    log,
    routes: createRoutes({
      telemetryPath: "/metrics",
      isReady: () => true,
      served: () => undefined,
      exposition: { streamedPage: async () => ({ beginning: [], end: async () => [] }) },
      ...pages,
    }),
  });
  return { web, url: web.urls[0] ?? "", logged };
}
