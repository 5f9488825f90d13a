import type { Exposition } from "../../exposition/exposition.ts";
import { ConcurrencyLimit } from "../server/concurrency-limit.ts";
import { type RouteHandler, respondText } from "../server/responses.ts";
import { type DebugPages, debugEndpoint } from "./debug-endpoint.ts";
import { healthRoutes } from "./management-endpoints.ts";
import { type MetricsEndpointOptions, metricsEndpoint } from "./metrics-endpoint.ts";
import { type Discovery, serviceDiscoveryEndpoint } from "./service-discovery-endpoint.ts";
import { statusRoutes } from "./status/routes.ts";
import type { StatusSource } from "./status/source.ts";

export interface RouteOptions {
  readonly telemetryPath: string;
  readonly exposition: Pick<Exposition, "streamedPage">;
  /** The configuration has a server of this name; undefined: it has none. */
  readonly hasServer?: ((name: string) => boolean) | undefined;
  readonly served: (mediaType: string) => void;
  /** Requests refused or cut because others take what there is. */
  readonly rejected?: ((reason: "requests" | "slow_reader") => void) | undefined;
  /** The first attempt on every server is over. */
  readonly isReady: () => boolean;
  /** Undefined: no status page; `/` says where the metrics are. */
  readonly status?: StatusSource | undefined;
  /** Undefined: no pages below /debug. */
  readonly debug?: DebugPages | undefined;
  /** Undefined: no service discovery at /sd. */
  readonly discovery?: Discovery | undefined;
}

/** By path. */
export type Routes = ReadonlyMap<string, RouteHandler>;

/** All paths of the exporter's web server. */
export function createRoutes(options: RouteOptions): Routes {
  const concurrency = new ConcurrencyLimit(() => options.rejected?.("requests"));
  return new RoutesByPath(options.telemetryPath, [
    ...pagesForPeople(options, concurrency),
    ...healthRoutes(options.isReady),
    ...debugRoutes(options.debug, concurrency),
    ...discoveryRoutes(options.discovery, concurrency),
    [options.telemetryPath, metricsEndpoint(options)],
  ]);
}

/** Of these servers alone. */
export function metricsRoutes(options: MetricsEndpointOptions, servers: readonly string[]): Routes {
  const { telemetryPath } = options;
  return new RoutesByPath(telemetryPath, [[telemetryPath, metricsEndpoint(options, servers)]]);
}

/** Server names are parts of the metrics path. */
class RoutesByPath extends Map<string, RouteHandler> {
  readonly #telemetryPath: string;

  constructor(telemetryPath: string, routes: readonly (readonly [string, RouteHandler])[]) {
    super(routes);
    this.#telemetryPath = telemetryPath;
  }

  override get(path: string): RouteHandler | undefined {
    return super.get(path) ?? (path.startsWith(`${this.#telemetryPath}/`) ? super.get(this.#telemetryPath) : undefined);
  }
}

function debugRoutes(pages: DebugPages | undefined, concurrency: ConcurrencyLimit): [string, RouteHandler][] {
  if (pages === undefined) return [];
  return [
    ["/debug/explain", concurrency.limit(debugEndpoint(pages.explain))],
    ["/debug/cardinality", concurrency.limit(debugEndpoint(pages.cardinality))],
  ];
}

function discoveryRoutes(discovery: Discovery | undefined, concurrency: ConcurrencyLimit): [string, RouteHandler][] {
  return discovery === undefined ? [] : [["/sd", concurrency.limit(serviceDiscoveryEndpoint(discovery))]];
}

function pagesForPeople(
  { status, telemetryPath, debug }: RouteOptions,
  concurrency: ConcurrencyLimit,
): [string, RouteHandler][] {
  if (status !== undefined) {
    return statusRoutes({ source: status, telemetryPath, hasDebugPages: debug !== undefined }, concurrency);
  }
  return [["/", (_request, response) => respondText(response, 200, `Metrics are at ${telemetryPath}\n`)]];
}
