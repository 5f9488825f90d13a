import type { Exposition } from "../exposition/exposition.ts";
import { type DebugPages, debugEndpoint } from "./debug-endpoint.ts";
import { renderLandingPage } from "./landing-page.ts";
import { metricsEndpoint } from "./metrics-endpoint.ts";
import { type RouteHandler, respondText } from "./web-server.ts";

export interface RouteOptions {
  readonly telemetryPath: string;
  readonly exposition: Pick<Exposition, "page">;
  readonly served: (mediaType: string) => void;
  /** True once the first attempt on every server has finished, either way. */
  readonly isReady: () => boolean;
  readonly version: string;
  readonly servers: readonly string[];
  /** Undefined: there are no pages below /debug. */
  readonly debug?: DebugPages | undefined;
}

const DEBUG_LINKS = [{ path: "/debug/cardinality", text: "Cardinality", description: "where the series come from" }];

/** Every path of the exporter's web server. */
export function createRoutes(options: RouteOptions): ReadonlyMap<string, RouteHandler> {
  const landingPage = renderLandingPage({
    version: options.version,
    servers: options.servers,
    links: [
      { path: options.telemetryPath, text: "Metrics", description: "for Prometheus" },
      { path: "/-/healthy", text: "Health", description: "of this process" },
      { path: "/-/ready", text: "Readiness", description: "after the first poll" },
      ...(options.debug === undefined ? [] : DEBUG_LINKS),
    ],
  });
  return new Map<string, RouteHandler>([
    ["/", (_request, response) => respondHtml(response, landingPage)],
    ["/-/healthy", (_request, response) => respondText(response, 200, "Healthy.\n")],
    [
      "/-/ready",
      (_request, response) =>
        options.isReady()
          ? respondText(response, 200, "Ready.\n")
          : respondText(response, 503, "The first poll has not finished yet.\n"),
    ],
    ...debugRoutes(options.debug),
    [options.telemetryPath, metricsEndpoint(options)],
  ]);
}

function debugRoutes(pages: DebugPages | undefined): [string, RouteHandler][] {
  if (pages === undefined) return [];
  return [
    ["/debug/explain", debugEndpoint(pages.explain)],
    ["/debug/cardinality", debugEndpoint(pages.cardinality)],
  ];
}

function respondHtml(response: Parameters<RouteHandler>[1], html: string): void {
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(html),
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });
  response.end(html);
}
