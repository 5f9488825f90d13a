import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import { createServerMonitor, type Schedules, type ServerMonitor } from "../collectors/server-monitor.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import { Exposition } from "../exposition/exposition.ts";
import { MEDIA_TYPES } from "../exposition/negotiate.ts";
import { formatLabels } from "../exposition/text-format.ts";
import type { DebugPages } from "../http/pages/debug-endpoint.ts";
import type { Discovery } from "../http/pages/service-discovery-endpoint.ts";
import type { StatusSource } from "../http/pages/status/source.ts";
import { REJECTION_REASONS } from "../http/server/rejection-log.ts";
import type { StatePush } from "../otlp/state-push.ts";
import { createApiClient } from "../prtg/client.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ApiClientOptions } from "../prtg/options.ts";
import { Store } from "../store/store.ts";
import { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { type ServerRecorder, serverRecorder } from "../telemetry/recorders.ts";
import { answerLimits, LABEL_COPIES } from "./answer-limits.ts";
import { ChangingApi } from "./changing-api.ts";
import type { CommandContext } from "./context.ts";
import type { ConfigPrints } from "./fingerprint.ts";
import { mappingOf } from "./mapping.ts";
import { beginOtlpPush, type OtlpPush, type PreparedPush } from "./otlp-push.ts";
import { PageWatch } from "./page-watch.ts";
import { createDebugPages } from "./reports/debug-reports.ts";
import type { DebugSources } from "./reports/debug-sources.ts";
import { createDiscovery } from "./reports/service-discovery.ts";
import { createStatusSource } from "./reports/status-pages.ts";
import type { StatusSources } from "./reports/status-sources.ts";
import { howToRead, ServerSync } from "./server-sync.ts";

interface MonitoredServer {
  readonly api: ChangingApi;
  readonly monitor: ServerMonitor;
  readonly metrics: ServerRecorder;
  readonly sync: ServerSync;
  readonly log: Logger;
}

/** A configuration with all that was found out about it before it is put in force. */
export interface ConfigChange {
  readonly config: Config;
  readonly prints: ConfigPrints;
  /** Undefined where nothing is to be pushed. */
  readonly push: PreparedPush | undefined;
}

/**
 * Everything between the monitoring servers and the metrics page, put together from a configuration. Another one changes
 * what it is about: what a configuration says as before keeps its pictures, sessions, counters and schedules.
 */
export class Exporter {
  readonly metrics: ExporterMetrics;
  readonly exposition: Exposition;
  /** What is in memory, for people. */
  readonly debug: DebugPages;
  readonly status: StatusSource;
  /** Devices as targets of service discovery. */
  readonly discovery: Discovery;
  readonly #context: CommandContext;
  readonly #store: Store;
  /** What ends in the background. */
  readonly #ending = new Set<Promise<void>>();
  #config: Config;
  #servers: ReadonlyMap<string, MonitoredServer>;
  #push: OtlpPush | undefined;
  #state: StatePush | undefined;
  #started = false;
  #ready = false;

  /** `push`: undefined where nothing is pushed. The exporter closes it. */
  constructor(config: Config, context: CommandContext, push?: OtlpPush) {
    const { build, clock, redactor } = context;
    const store = new Store(mappingOf(config).mapper.storeFamilies(), (family, values) =>
      formatLabels(family.labels, values),
    );
    this.#context = context;
    this.#config = config;
    this.#store = store;
    this.#push = push;
    const metrics = new ExporterMetrics(build, () =>
      [...store.tables].map(({ family: { name }, size }) => [name, size - watch.droppedOf(name)] as const),
    );
    const watch = new PageWatch(metrics, context.log);
    this.metrics = metrics;
    this.exposition = new Exposition({
      store,
      registry: metrics.registry,
      clock,
      observer: {
        rendered: (format, encoding, seconds, bytes, plainBytes) => {
          metrics.exposition.renderDuration(format, seconds);
          metrics.exposition.bytes(format, encoding, bytes);
          watch.rendered(plainBytes);
        },
        dropped: (series) => watch.dropped(series),
      },
      limits: config.limits,
    });
    // From the start, so that the first of them shows as a rise.
    for (const reason of REJECTION_REASONS) metrics.web.rejected(reason, 0);
    for (const format of MEDIA_TYPES) metrics.exposition.scraped(format, 0);
    metrics.config.reloadSuccessful(1);
    metrics.config.reloadTime(clock.now() / 1_000);
    this.#servers = new Map(config.servers.map((server) => [server.name, this.#create(server)]));
    const current = this.#currentSources();
    this.debug = createDebugPages(current, redactor);
    this.status = createStatusSource(current, redactor);
    this.discovery = createDiscovery(current, redactor);
  }

  /** True once the first attempt on every server has finished, either way. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Starts polling. When the first attempt on every server has finished, resolves with whether all of it worked. */
  async start(): Promise<boolean> {
    this.#started = true;
    this.metrics.collectProcessMetrics();
    this.exposition.start();
    for (const { monitor } of this.#servers.values()) monitor.start();
    this.#startState();
    await Promise.all(this.#monitors().map(({ firstAttempt }) => firstAttempt));
    this.#ready = true;
    return this.#monitors().every((monitor) => monitor.status().up);
  }

  /** One poll of everything, without a schedule. Resolves with whether all of it worked; false when `signal` aborts. */
  async pollOnce(signal: AbortSignal): Promise<boolean> {
    const worked = await Promise.all(this.#monitors().map((monitor) => monitor.pollOnce(signal)));
    return worked.every(Boolean);
  }

  /**
   * Puts another configuration in force; `before` are the prints of the one there is. Only what differs is touched: values
   * that are known are shown in the new way at once, without asking a server. What ends may take `graceMs`. One at a
   * time; must not be called after `stop`.
   */
  async change(before: ConfigPrints, { config, prints, push }: ConfigChange, graceMs: number): Promise<void> {
    // Who comes back after a moment must not find traces of itself.
    await Promise.all(this.#ending);
    const previous = this.#config;
    const gone = [...this.#servers].filter(([name]) => !prints.servers.has(name));
    const kept = new Map([...this.#servers].filter(([name]) => prints.servers.has(name)));
    this.#config = config;
    this.exposition.limit(config.limits);
    this.#servers = kept;
    for (const [, server] of gone) this.#endInBackground(this.#remove(server, graceMs));
    const isReshaped = prints.shape !== before.shape;
    if (isReshaped || gone.length > 0) await this.#reshape();
    const pushed = this.#push;
    const isPushChanged = await this.#changePush(push);
    await Promise.all(
      config.servers.map(async (server) => {
        const known = kept.get(server.name);
        if (known === undefined) return;
        await this.#changeServer(known, server, {
          previous,
          pushed,
          isReconnected: prints.servers.get(server.name) !== before.servers.get(server.name),
          graceMs,
        });
      }),
    );
    if (isPushChanged || isReshaped) this.#restartState(graceMs, pushed);
    const servers = config.servers.map(
      (server) => [server.name, kept.get(server.name) ?? this.#create(server)] as const,
    );
    this.#servers = new Map(servers);
    if (pushed !== undefined) this.#endInBackground(Promise.all(this.#ending).then(() => pushed.releaseFormer()));
    if (this.#started) for (const { monitor } of this.#servers.values()) monitor.start();
  }

  /** Stops for good. */
  async stop(graceMs = 0): Promise<void> {
    await this.#halt(graceMs);
    this.exposition.stop();
  }

  /** Stops polling, pushes what waits within `graceMs`, ends the sessions and closes the connections. */
  async #halt(graceMs: number): Promise<void> {
    const servers = [...this.#servers.values()];
    const stopping = servers.map(({ monitor }) => monitor.stop(graceMs));
    // What ends in the background may still push: before its connections are closed.
    await Promise.all([this.#state?.stop(graceMs), ...stopping, ...this.#ending]);
    await Promise.all([this.#push?.close(), ...servers.map(({ api }) => api.close())]);
  }

  /** As the configuration in force has it; the picture is empty until it is started. */
  #create(server: ServerConfig): MonitoredServer {
    const { clock, random, log: allLog } = this.#context;
    const config = this.#config;
    const push = this.#push;
    const metrics = serverRecorder(this.metrics, server.name);
    const log = allLog.child({ server: server.name });
    const api = new ChangingApi(connect(server, metrics, log, this.#context));
    const sync = new ServerSync({ server: server.name, api, metrics: this.metrics, log, context: this.#context });
    const settings = { server, config, push };
    const monitor = createServerMonitor({
      ...shapeOf(config),
      server: server.name,
      api,
      store: this.#store,
      metrics,
      clock,
      random,
      log: allLog,
      schedules: enabledSchedules(config),
      maxLabelText: LABEL_COPIES * answerLimits(server.limits).maxTextSize,
      createSync: (hooks) => sync.create(settings, hooks),
    });
    return { api, monitor, metrics, sync, log };
  }

  async #remove({ api, monitor, metrics, sync }: MonitoredServer, graceMs: number): Promise<void> {
    await monitor.stop(graceMs);
    sync.end();
    await api.close();
    await metrics.gone();
  }

  /** Shows what is known as the configuration wants it, and of the servers that are left. */
  async #reshape(): Promise<void> {
    const shape = shapeOf(this.#config);
    await this.#store.reshape(shape.mapper.storeFamilies(), async (tables) => {
      const changes: (() => void)[] = [];
      for (const monitor of this.#monitors()) changes.push(await monitor.reshape(shape, tables));
      return () => {
        for (const change of changes) change();
      };
    });
  }

  /** Resolves with whether the way to the receiver is another one. */
  async #changePush(prepared: PreparedPush | undefined): Promise<boolean> {
    const before = this.#push;
    if (before !== undefined && prepared !== undefined) return before.change(prepared);
    this.#push = prepared && (await beginOtlpPush(prepared, this.#context));
    return before !== undefined || prepared !== undefined;
  }

  async #changeServer(known: MonitoredServer, server: ServerConfig, change: ServerChange): Promise<void> {
    const { api, monitor, metrics, sync, log } = known;
    const { previous, pushed, isReconnected, graceMs } = change;
    const config = this.#config;
    const push = this.#push;
    const settings = { server, config, push };
    const past = previous.servers.find(({ name }) => name === server.name) ?? server;
    const how = howToRead({ server: past, config: previous, push: pushed });
    const gone: string[] = [];
    if (push !== pushed || !isDeepStrictEqual(how, howToRead(settings))) {
      gone.push(...(await monitor.resync((engine, hooks) => sync.replace(engine, settings, hooks, graceMs))));
    }
    gone.push(...(await monitor.reschedule(enabledSchedules(config))));
    for (const name of gone) await metrics.collectorGone(name);
    if (!isReconnected) return;
    await monitor.reconnect(() => {
      const replaced = api.changeTo(connect(server, metrics, log, this.#context));
      this.#endInBackground(replaced.close());
      // What was known of the connections before says nothing about these.
      metrics.breakerChanged(false);
    });
  }

  #startState(): void {
    this.#state = this.#push?.startState(this.#store, this.metrics.registry, this.metrics);
  }

  /** The push there was pushes once more; when nothing is pushed any more, it is closed then. */
  #restartState(graceMs: number, pushed: OtlpPush | undefined): void {
    const state = this.#state;
    const removed = [...this.#ending];
    if (this.#started) this.#startState();
    const end = async () => {
      // Servers that were removed deliver what waits over the same connections.
      await Promise.all([state?.stop(graceMs), ...removed]);
      if (pushed !== this.#push) await pushed?.close();
    };
    this.#endInBackground(end());
  }

  #endInBackground(ending: Promise<void>): void {
    const tracked = ending.finally(() => this.#ending.delete(tracked));
    this.#ending.add(tracked);
  }

  #monitors(): readonly ServerMonitor[] {
    return [...this.#servers.values()].map(({ monitor }) => monitor);
  }

  /** What pages look at: whatever is there when they are asked for. */
  #currentSources(): DebugSources & StatusSources {
    const { build, clock } = this.#context;
    const config = () => this.#config;
    const push = () => this.#push;
    const servers = () => this.#servers;
    return {
      store: this.#store,
      clock,
      build,
      metrics: this.metrics,
      isReady: () => this.#ready,
      get config() {
        return config();
      },
      get mapper() {
        return mappingOf(config()).mapper;
      },
      get receiver() {
        return push()?.address;
      },
      get monitors() {
        return new Map([...servers()].map(([name, { monitor }]) => [name, monitor]));
      },
    };
  }
}

/** How a server that stays is to change. */
interface ServerChange {
  readonly previous: Config;
  /** The push there was. */
  readonly pushed: OtlpPush | undefined;
  readonly isReconnected: boolean;
  readonly graceMs: number;
}

function shapeOf(config: Config) {
  const { staleAfterMs, metrics } = config;
  const { sensorStatus, nodeSensors, channelInfo } = metrics;
  return { mapper: mappingOf(config).mapper, staleAfterMs, sensorStatus, nodeSensors, channelInfo };
}

function enabledSchedules(config: Config): Schedules {
  const enabled = Object.entries(config.collectors).filter(([, collector]) => collector.enabled);
  return Object.fromEntries(enabled.map(([name, { schedule }]) => [name, schedule]));
}

/** The client of one server, as its configuration wants it, but for what `special` says. */
export function connect(
  server: ServerConfig,
  observer: ServerRecorder,
  log: Logger,
  context: CommandContext,
  special: Pick<ApiClientOptions, "maxAttempts"> = {},
): MonitoringApi {
  const { credentials, tls } = server;
  const isUnverified = tls.insecureSkipVerify && server.url.startsWith("https:");
  observer.unverified(isUnverified);
  if (isUnverified) {
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
    limits: answerLimits(server.limits),
    userAgent: `prtg-exporter/${context.build.version}`,
    clock: context.clock,
    random: context.random,
    log,
    redactor: context.redactor,
    observer,
    ...special,
  });
}
