import type { Exposition } from "../../exposition/exposition.ts";
import { PageGate } from "../server/page-gate.ts";
import { type RouteHandler, respondText } from "../server/web-server.ts";
import { type DebugPages, debugEndpoint } from "./debug-endpoint.ts";
import { metricsEndpoint } from "./metrics-endpoint.ts";
import { type Discovery, sdEndpoint } from "./sd-endpoint.ts";
import { statusRoutes } from "./status/routes.ts";
import type { StatusSource } from "./status/source.ts";

export interface RouteOptions {
  readonly telemetryPath: string;
  readonly exposition: Pick<Exposition, "streamedPage">;
  readonly served: (mediaType: string) => void;
  /** Told of a request that was refused or cut because others take what there is. */
  readonly rejected?: ((reason: "requests" | "slow_reader") => void) | undefined;
  /** True once the first attempt on every server has finished, either way. */
  readonly isReady: () => boolean;
  /** Undefined: there is no status page, and `/` only says where the metrics are. */
  readonly status?: StatusSource | undefined;
  /** Undefined: there are no pages below /debug. */
  readonly debug?: DebugPages | undefined;
  /** Undefined: there is no service discovery at /sd. */
  readonly discovery?: Discovery | undefined;
}

/** Every path of the exporter's web server. */
export function createRoutes(options: RouteOptions): ReadonlyMap<string, RouteHandler> {
  const gate = new PageGate(() => options.rejected?.("requests"));
  return new Map<string, RouteHandler>([
    ...pagesForPeople(options, gate),
    ["/-/healthy", (_request, response) => respondText(response, 200, "Healthy.\n")],
    [
      "/-/ready",
      (_request, response) =>
        options.isReady()
          ? respondText(response, 200, "Ready.\n")
          : respondText(response, 503, "The first poll has not finished yet.\n"),
    ],
    ...debugRoutes(options.debug, gate),
    ...discoveryRoutes(options.discovery, gate),
    [options.telemetryPath, metricsEndpoint(options)],
  ]);
}

function debugRoutes(pages: DebugPages | undefined, gate: PageGate): [string, RouteHandler][] {
  if (pages === undefined) return [];
  return [
    ["/debug/explain", gate.limit(debugEndpoint(pages.explain))],
    ["/debug/cardinality", gate.limit(debugEndpoint(pages.cardinality))],
  ];
}

function discoveryRoutes(discovery: Discovery | undefined, gate: PageGate): [string, RouteHandler][] {
  return discovery === undefined ? [] : [["/sd", gate.limit(sdEndpoint(discovery))]];
}

function pagesForPeople({ status, telemetryPath, debug }: RouteOptions, gate: PageGate): [string, RouteHandler][] {
  if (status !== undefined) {
    return statusRoutes({ source: status, telemetryPath, hasDebugPages: debug !== undefined }, gate);
  }
  return [["/", (_request, response) => respondText(response, 200, `Metrics are at ${telemetryPath}\n`)]];
}
