import { pino } from "pino";
import { createRoutes, reloadEndpoint } from "../../src/http/pages/routes.ts";
import { startWebServer, type WebLimits } from "../../src/http/server/connection-handler.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";

/** With all routes, after one poll. */
export interface HttpTarget {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly paths: readonly string[];
  /** Log lines of level error and above. */
  readonly errors: readonly string[];
  readonly rejected: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** `page` replaces the real metrics. */
export async function startHttpTarget(limits: WebLimits = {}, page?: Buffer): Promise<HttpTarget> {
  const { exporter, poll, close } = await startSimulatedExporter({ size: { sensors: 40, channels: 120 } });
  await poll();
  const errors: string[] = [];
  const rejected = new Map<string, number>();
  const routes = createRoutes({
    telemetryPath: "/metrics",
    exposition:
      page === undefined
        ? exporter.exposition
        : { streamedPage: async () => ({ beginning: [page], end: async () => [] }) },
    served: () => undefined,
    isReady: () => true,
    status: exporter.status,
    debug: exporter.debug,
    discovery: exporter.discovery,
  });
  const actions = new Map([["/-/reload", reloadEndpoint(async () => ({ kind: "unchanged" }))]]);
  const web = await startWebServer({
    addresses: [{ host: HOST, port: 0 }],
    log: pino({ level: "error" }, { write: (line: string) => void errors.push(line) }),
    observer: {
      rejected: (reason) => rejected.set(reason, (rejected.get(reason) ?? 0) + 1),
      observed: () => undefined,
    },
    routes,
    actions,
    ...limits,
  });
  const url = web.urls[0] ?? "";
  return {
    host: HOST,
    port: Number(new URL(url).port),
    url,
    paths: [...routes.keys(), ...actions.keys()],
    errors,
    rejected,
    close: async () => {
      await web.close(0);
      await close();
    },
  };
}
