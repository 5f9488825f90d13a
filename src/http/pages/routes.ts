import type { McpAccess } from "../mcp/access.ts";
import { MCP_PATH, mcpRoute } from "../mcp/route.ts";
import { ConcurrencyLimit } from "../server/concurrency-limit.ts";
import { type Route, type RouteHandler, respondText } from "../server/responses.ts";
import { type MetricsEndpointOptions, metricsEndpoint } from "./metrics-endpoint.ts";
import { type Discovery, serviceDiscoveryEndpoint } from "./service-discovery-endpoint.ts";
import { type DebugPages, debugEndpoint } from "./status/debug-view.ts";
import { layoutOf, statusRoutes } from "./status/routes.ts";
import type { StatusSource } from "./status/source.ts";

export interface RouteOptions extends MetricsEndpointOptions {
  readonly isReady: () => boolean;
  readonly status?: StatusSource | undefined;
  readonly debug?: DebugPages | undefined;
  readonly discovery?: Discovery | undefined;
  readonly mcp?: McpAccess | undefined;
}

export type Routes = ReadonlyMap<string, Route>;

export function createRoutes(options: RouteOptions): Routes {
  const concurrency = new ConcurrencyLimit(() => options.rejected?.("requests"));
  return new RoutesByPath(options, [
    ...pagesForPeople(options, concurrency),
    ...mcpRoutes(options, options.status, concurrency),
    ...healthRoutes(options.isReady),
    ...debugRoutes(options, concurrency),
    ...discoveryRoutes(options.discovery, concurrency),
    [options.telemetryPath, metricsEndpoint(options)],
  ]);
}

/**
 * Routes of a user who sees only these servers. The user has a queue of pages of its own, so that others cannot notice its
 * load. @param status Answers about these servers only.
 */
export function tenantRoutes(
  options: MetricsEndpointOptions & Pick<RouteOptions, "mcp">,
  servers: readonly string[],
  status: StatusSource | undefined,
): Routes {
  const { telemetryPath } = options;
  const concurrency = new ConcurrencyLimit(() => options.rejected?.("requests"));
  return new RoutesByPath(options, [
    ...mcpRoutes(options, status, concurrency),
    ...(status === undefined ? [] : statusRoutes({ source: status, telemetryPath, hasDebugPages: false }, concurrency)),
    [telemetryPath, metricsEndpoint(options, servers)],
  ]);
}

type PathOptions = Pick<RouteOptions, "telemetryPath" | "mcp">;

/** Paths of metrics can contain server names. A reload can switch the MCP server on and off. */
class RoutesByPath extends Map<string, Route> {
  readonly #options: PathOptions;

  constructor(options: PathOptions, routes: readonly (readonly [string, Route])[]) {
    super(routes);
    this.#options = options;
  }

  override get(path: string): Route | undefined {
    const { telemetryPath, mcp } = this.#options;
    if (path === MCP_PATH && mcp?.isEnabled() !== true) return undefined;
    return super.get(path) ?? (path.startsWith(`${telemetryPath}/`) ? super.get(telemetryPath) : undefined);
  }
}

function mcpRoutes(
  { mcp }: Pick<RouteOptions, "mcp">,
  source: StatusSource | undefined,
  concurrency: ConcurrencyLimit,
): [string, Route][] {
  return mcp === undefined || source === undefined ? [] : [[MCP_PATH, mcpRoute({ access: mcp, source, concurrency })]];
}

function debugRoutes(
  { debug, status, telemetryPath }: RouteOptions,
  concurrency: ConcurrencyLimit,
): [string, RouteHandler][] {
  if (debug === undefined) return [];
  // The style belongs to the status page.
  const layout = status && layoutOf({ telemetryPath, hasDebugPages: true });
  return [
    ["/debug/explain", concurrency.limit(debugEndpoint(debug.explain, "Explain", layout))],
    ["/debug/cardinality", concurrency.limit(debugEndpoint(debug.cardinality, "Cardinality", layout))],
    ["/debug/runs", concurrency.limit(debugEndpoint(debug.runs, "Runs", layout))],
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

/** @param isReady The exporter has tried to read every server. */
export function healthRoutes(isReady: () => boolean): [string, RouteHandler][] {
  return [
    ["/-/healthy", (_request, response) => respondText(response, 200, "Healthy.\n")],
    [
      "/-/ready",
      (_request, response) =>
        isReady()
          ? respondText(response, 200, "Ready.\n")
          : respondText(response, 503, "The first poll has not finished yet.\n"),
    ],
  ];
}

/** Result of a reload. If it is refused, the previous configuration stays in force. */
export type ReloadResult =
  | { readonly kind: "applied" | "unchanged" }
  | { readonly kind: "refused"; readonly message: string };

/** `POST /-/reload`. `undefined` without `--web.enable-lifecycle`. */
export function reloadEndpoint(reload: (() => Promise<ReloadResult>) | undefined): RouteHandler {
  return async (_request, response) => {
    if (reload === undefined) {
      respondText(response, 403, "Reload over HTTP is disabled. Start with --web.enable-lifecycle, or send SIGHUP.\n");
      return;
    }
    const outcome = await reload();
    if (outcome.kind === "refused") {
      respondText(
        response,
        500,
        `The configuration was not reloaded. The previous one stays in use.\n${outcome.message}\n`,
      );
    } else {
      respondText(response, 200, outcome.kind === "applied" ? "Reloaded.\n" : "The configuration has not changed.\n");
    }
  };
}
