import type { Logger } from "pino";
import { createApiClient } from "../api/client.ts";
import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { ApiClientOptions } from "../api/options.ts";
import { createServerMonitor, type ServerMonitor, type ServerMonitorOptions } from "../collectors/server-monitor.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import { Exposition } from "../exposition/exposition.ts";
import { formatLabels } from "../exposition/text.ts";
import type { DebugPages } from "../http/debug-endpoint.ts";
import type { StatePush } from "../otlp/state-push.ts";
import { Store } from "../store/store.ts";
import { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { PrometheusServerMetrics } from "../telemetry/prometheus-server-metrics.ts";
import type { CommandContext } from "./context.ts";
import { createDebugPages } from "./debug-reports.ts";
import { mappingOf } from "./mapping.ts";
import type { OtlpPush } from "./otlp-push.ts";
import { serverSync } from "./server-sync.ts";

interface MonitoredServer {
  readonly api: MonitoringApi;
  readonly monitor: ServerMonitor;
}

/** Everything between the monitoring servers and the metrics page, put together from a configuration. */
export class Exporter {
  readonly metrics: ExporterMetrics;
  readonly exposition: Exposition;
  /** What is in memory, for people. */
  readonly debug: DebugPages;
  readonly #store: Store;
  readonly #servers: readonly MonitoredServer[];
  readonly #push: OtlpPush | undefined;
  #state: StatePush | undefined;
  #ready = false;

  /** `push`: undefined where nothing is pushed. The exporter closes it. */
  constructor(config: Config, context: CommandContext, push?: OtlpPush) {
    const { mapper } = mappingOf(config);
    const store = new Store(mapper.storeFamilies(), (family, values) => formatLabels(family.labels, values));
    this.#store = store;
    this.#push = push;
    this.metrics = new ExporterMetrics(context.build, () =>
      [...store.tables].map((table) => [table.family.name, table.size] as const),
    );
    this.exposition = new Exposition({
      store,
      registry: this.metrics.registry,
      clock: context.clock,
      observer: {
        rendered: (format, encoding, seconds, bytes) => {
          this.metrics.renderDuration.set({ format }, seconds);
          this.metrics.expositionBytes.set({ format, encoding }, bytes);
        },
      },
    });
    const { metrics } = this;
    metrics.configReloadSuccessful.set(1);
    metrics.configReloadTime.set(context.clock.now() / 1_000);
    this.#servers = config.servers.map((server) => monitorServer(server, { config, store, metrics, context, push }));
    const monitors = new Map(this.#servers.map(({ monitor }) => [monitor.status().server, monitor]));
    this.debug = createDebugPages({ store, mapper, clock: context.clock, monitors }, context.redactor);
  }

  /** True once the first attempt on every server has finished, either way. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Starts polling. When the first attempt on every server has finished, resolves with whether all of it worked. */
  async start(): Promise<boolean> {
    this.metrics.collectProcessMetrics();
    this.exposition.start();
    for (const { monitor } of this.#servers) monitor.start();
    this.#state = this.#push?.startState(this.#store, this.metrics.registry, this.metrics);
    await Promise.all(this.#servers.map(({ monitor }) => monitor.firstAttempt));
    this.#ready = true;
    return this.#servers.every(({ monitor }) => monitor.status().up);
  }

  /** One poll of everything, without a schedule. Resolves with whether all of it worked; false when `signal` aborts. */
  async pollOnce(signal: AbortSignal): Promise<boolean> {
    const worked = await Promise.all(this.#servers.map(({ monitor }) => monitor.pollOnce(signal)));
    return worked.every(Boolean);
  }

  /** Stops for good. */
  async stop(graceMs = 0): Promise<void> {
    await this.halt(graceMs);
    this.exposition.stop();
  }

  /**
   * Stops polling, pushes what waits within `graceMs`, ends the sessions and closes the connections. The page is still
   * served, and what expires goes from it.
   */
  async halt(graceMs = 0): Promise<void> {
    await Promise.all([this.#state?.stop(graceMs), ...this.#servers.map(({ monitor }) => monitor.stop(graceMs))]);
    await Promise.all([this.#push?.close(), ...this.#servers.map(({ api }) => api.close())]);
  }
}

interface Surroundings {
  readonly config: Config;
  readonly store: Store;
  readonly metrics: ExporterMetrics;
  readonly context: CommandContext;
  readonly push: OtlpPush | undefined;
}

function monitorServer(server: ServerConfig, surroundings: Surroundings): MonitoredServer {
  const { config, store, metrics, context } = surroundings;
  const serverMetrics = new PrometheusServerMetrics(metrics, server.name);
  const log = context.log.child({ server: server.name });
  const api = connect(server, serverMetrics, log, context);
  const monitor = createServerMonitor({
    server: server.name,
    api,
    store,
    metrics: serverMetrics,
    clock: context.clock,
    random: context.random,
    log: context.log,
    schedules: enabledSchedules(config),
    staleAfterMs: config.staleAfterMs,
    sensorStatus: config.metrics.sensorStatus,
    nodeSensors: config.metrics.nodeSensors,
    mapper: mappingOf(config).mapper,
    channelInfo: config.metrics.channelInfo,
    createSync: serverSync({ ...surroundings, server, api, log }),
  });
  return { api, monitor };
}

function enabledSchedules(config: Config): ServerMonitorOptions["schedules"] {
  const enabled = Object.entries(config.collectors).filter(([, collector]) => collector.enabled);
  return Object.fromEntries(enabled.map(([name, { schedule }]) => [name, schedule]));
}

/** The client of one server, as its configuration wants it, but for what `special` says. */
export function connect(
  server: ServerConfig,
  observer: PrometheusServerMetrics,
  log: Logger,
  context: CommandContext,
  special: Pick<ApiClientOptions, "maxAttempts"> = {},
): MonitoringApi {
  const { credentials, tls } = server;
  if (tls.insecureSkipVerify) {
    log.warn("tls.insecure_skip_verify is set: whoever is between here and the server can read the credentials");
  }
  return createApiClient({
    name: server.name,
    url: server.url,
    auth:
      credentials.kind === "api_key"
        ? { kind: "api_key", key: async () => (await credentials.apiKey.read()).reveal() }
        : {
            kind: "login",
            username: credentials.username,
            password: async () => (await credentials.password.read()).reveal(),
          },
    tls,
    limits: server.limits,
    userAgent: `prtg-exporter/${context.build.version}`,
    clock: context.clock,
    random: context.random,
    log,
    redactor: context.redactor,
    observer,
    ...special,
  });
}
