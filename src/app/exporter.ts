import { createTimetable } from "../collectors/timetable.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { Exposition } from "../exposition/exposition.ts";
import type { DebugPages } from "../http/pages/debug-endpoint.ts";
import type { Discovery } from "../http/pages/service-discovery-endpoint.ts";
import type { StatusSource } from "../http/pages/status/source.ts";
import { TimeSlices } from "../lib/yielding.ts";
import type { StatePush } from "../otlp/state-push.ts";
import { Store } from "../store/store.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { OWN_METRICS } from "../telemetry/own-metrics.ts";
import type { ConfigDigests } from "./config-digests.ts";
import type { ExporterContext } from "./context.ts";
import { beginEvents, type EventOutputs, type PreparedEvents } from "./event-outputs.ts";
import { ExtraBudget } from "./extra-budget.ts";
import { mappingOf, shapeOf } from "./mapping.ts";
import { createMetricsPage } from "./metrics-page.ts";
import { MonitoredServer } from "./monitored-server.ts";
import { beginPrepared } from "./otlp-preparation.ts";
import type { OtlpPush, PreparedPush } from "./otlp-push.ts";
import { Phases } from "./phases.ts";
import { planPipeline } from "./pipeline-plan.ts";
import { createDebugPages } from "./reports/debug-reports.ts";
import { SensorCharts } from "./reports/sensor-charts.ts";
import { createDiscovery } from "./reports/service-discovery.ts";
import type { DebugSources, StatusSources } from "./reports/sources.ts";
import { createStatusSource } from "./reports/status-pages.ts";
import { StatusCourses } from "./status-courses.ts";

/** From so many on, requests are what the process works most for: fewer servers are read list by list, as they are small work. */
const MANY_SERVERS = 20;

/** A configuration with all that was found out about it before it is put in force. */
export interface ConfigChange {
  readonly config: Config;
  readonly digests: ConfigDigests;
  /** Undefined where nothing is to be pushed. */
  readonly push: PreparedPush | undefined;
  /** Undefined where no events are to be told. */
  readonly events: PreparedEvents | undefined;
}

/**
 * Everything between the PRTG servers and the metrics page, put together from a configuration. Another one changes what it
 * is about: what a configuration says as before keeps its state, sessions, counters and schedules.
 */
export class Exporter {
  readonly metrics: ExporterMetrics;
  readonly exposition: Exposition;
  /** The same for those who scrape: extras pause meanwhile. */
  readonly scraped: Pick<Exposition, "streamedPage">;
  /** What is in memory, for people. */
  readonly debug: DebugPages;
  readonly status: StatusSource;
  /** Devices as targets of service discovery. */
  readonly discovery: Discovery;
  readonly #courses: StatusCourses;
  readonly #extras: ExtraBudget;
  readonly #context: ExporterContext;
  readonly #store: Store;
  readonly #phases = new Phases();
  /** What ends in the background. */
  readonly #ending = new Set<Promise<void>>();
  #config: Config;
  #servers: ReadonlyMap<string, MonitoredServer>;
  #push: OtlpPush | undefined;
  #events: EventOutputs | undefined;
  #state: StatePush | undefined;
  #following: Promise<unknown> | undefined;
  readonly #stopping = new AbortController();
  #started = false;
  #ready = false;

  /** `push`: undefined where nothing is pushed; `events`: where none are told. The exporter closes both. */
  constructor(config: Config, context: ExporterContext, push?: OtlpPush, events?: EventOutputs) {
    const { clock, log, redactor, eventLoopBusyMs } = context;
    const store = new Store(mappingOf(config).mapper.storeFamilies());
    this.#context = context;
    this.#config = config;
    this.#store = store;
    this.#push = push;
    this.#events = events;
    const { metrics, exposition } = createMetricsPage(store, config.limits, context);
    this.metrics = metrics;
    metrics.setApiDetail(config.metrics.apiDetail);
    this.exposition = exposition;
    metrics.config.reloadSuccessful(1);
    metrics.config.reloadTime(clock.now() / 1_000);
    metrics.config.badServerFiles(config.badServerFiles ?? 0);
    this.#showLeadership();
    const cycles = () => createTimetable(this.#config.collectors.timeseries.schedule, clock, log);
    this.#extras = new ExtraBudget({ clock, log, metrics, eventLoopBusyMs, cycleMs: () => cycles().period() });
    this.scraped = {
      streamedPage: (format, encoding, shard, reader) => {
        if (reader !== undefined) this.#extras.work.pauseFor(reader.used);
        return exposition.streamedPage(format, encoding, shard, reader);
      },
    };
    this.#servers = new Map(config.servers.map((server) => [server.name, this.#create(server)]));
    this.#showWebInterfaces();
    this.#courses = new StatusCourses(clock, () => this.#servers);
    const current = this.#currentSources();
    this.debug = createDebugPages(current, redactor);
    this.status = createStatusSource(current, redactor);
    this.discovery = createDiscovery(current, redactor);
  }

  /** True once the first attempt on every server has finished, either way, and the page shows what came of it. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Whether the configuration in force has a server of this name. */
  hasServer(name: string): boolean {
    return this.#servers.has(name) || this.#config.standbyFor?.includes(name) === true;
  }

  /**
   * The servers whose metrics are all that a user of the web server may have; undefined: the user may have everything. Where
   * users are bound, a request without a name may have nothing: the passwords are gone from a file that is read at any time.
   */
  serversOf(user: string | undefined): readonly string[] | undefined {
    const { users } = this.#config.web;
    if (user === undefined) return users.size === 0 ? undefined : [];
    return users.get(user)?.servers;
  }

  /** Starts polling. When the first attempt on every server has finished, resolves with whether all of it worked. */
  async start(): Promise<boolean> {
    this.#started = true;
    this.metrics.collectProcessMetrics();
    this.exposition.start();
    const servers = [...this.#servers.values()];
    for (const server of servers) server.start();
    this.#following = Promise.all([this.#courses.run(), this.#extras.run(this.#stopping.signal)]);
    this.#startState();
    const worked = await this.firstAttempts();
    this.#ready = true;
    return worked;
  }

  /** When the first attempt on every server of now has finished and is shown, resolves with whether all of it worked. */
  async firstAttempts(): Promise<boolean> {
    await Promise.all([...this.#servers.values()].map(({ firstAttempt }) => firstAttempt));
    await this.exposition.refresh();
    return [...this.#servers.values()].every((server) => server.status().up);
  }

  /** One poll of everything, without a schedule. Resolves with whether all of it worked; false when `signal` aborts. */
  async pollOnce(signal: AbortSignal): Promise<boolean> {
    const worked = await Promise.all([...this.#servers.values()].map((server) => server.pollOnce(signal)));
    return worked.every(Boolean);
  }

  /**
   * Puts another configuration in force; `before` are the digests of the one there is. Only what differs is touched:
   * values that are known are shown in the new way at once, without asking a server. What ends may take `graceMs`. One at
   * a time; must not be called after `stop`.
   */
  async change(
    before: ConfigDigests,
    { config, digests, push: prepared, events: preparedEvents }: ConfigChange,
    graceMs: number,
  ): Promise<void> {
    // A server that comes back after a moment must not find traces of itself.
    await Promise.all(this.#ending);
    const gone = [...this.#servers].filter(([name]) => !digests.servers.has(name));
    const kept = new Map([...this.#servers].filter(([name]) => digests.servers.has(name)));
    this.#config = config;
    this.#showLeadership();
    this.exposition.limit(config.limits);
    this.metrics.setApiDetail(config.metrics.apiDetail);
    this.#servers = kept;
    for (const [, server] of gone) {
      server.markWaitingMeasurements();
      this.#endInBackground(remove(server, graceMs));
    }
    const isReshaped = digests.shape !== before.shape;
    if (isReshaped || gone.length > 0) await this.#reshape();
    const push = this.#push;
    this.#push = prepared && (await beginPrepared(prepared, push, this.#context.log));
    const events = this.#events;
    this.#events = preparedEvents && (await beginEvents(preparedEvents, events, this.#context.log));
    await Promise.all(
      config.servers.map(async (server) => {
        const isReconnected = digests.servers.get(server.name) !== before.servers.get(server.name);
        const plan = planPipeline(server, config, this.#push);
        const known = kept.get(server.name);
        const disconnect = await known?.change(plan, isReconnected, graceMs);
        if (disconnect !== undefined) this.#endInBackground(disconnect());
        await known?.changeEvents(this.#events?.of(server.name), graceMs);
      }),
    );
    const servers = config.servers.map(
      (server) => [server.name, kept.get(server.name) ?? this.#create(server)] as const,
    );
    this.#servers = new Map(servers);
    this.#showWebInterfaces();
    const nextEvents = this.#events;
    if (events !== undefined) this.#endInBackground(Promise.all([...this.#ending]).then(() => events.end(nextEvents)));
    this.#changeStatePush(push, isReshaped, graceMs);
    if (this.#started) for (const server of this.#servers.values()) server.start();
  }

  /** Stops for good: polling ends, what waits is pushed within `graceMs`, sessions end and connections are closed. */
  async stop(graceMs = 0): Promise<void> {
    this.#courses.stop();
    this.#stopping.abort();
    const servers = [...this.#servers.values()];
    const stopping = servers.map((server) => server.stop(graceMs));
    // What ends in the background may still push: before its connections are closed.
    await Promise.all([this.#state?.stop(graceMs), this.#following, ...stopping, ...this.#ending]);
    await Promise.all([this.#events?.end(), this.#push?.end(), ...servers.map((server) => server.close())]);
    this.exposition.stop();
  }

  /** As the configuration in force has it; its state is empty until it is started. */
  #create(server: ServerConfig): MonitoredServer {
    return new MonitoredServer({
      plan: planPipeline(server, this.#config, this.#push),
      events: this.#events?.of(server.name),
      shape: shapeOf(this.#config),
      store: this.#store,
      exporterMetrics: this.metrics,
      extras: this.#extras.work,
      turns: {
        phase: this.#phases.next(),
        pageUpToDate: () => this.exposition.upToDate(),
        isOneOfMany: () => this.#servers.size >= MANY_SERVERS,
      },
      context: this.#context,
    });
  }

  #showLeadership(): void {
    const { leadership } = this.#context;
    if (leadership !== undefined) {
      this.metrics.leadership.leader(leadership.lease, this.#config.standbyFor === undefined);
    }
  }

  #showWebInterfaces(): void {
    this.metrics.clear(OWN_METRICS.config.webInterface);
    for (const { name, webUrl } of this.#config.servers) this.metrics.config.webInterface(name, webUrl, 1);
  }

  /** Shows what is known as the configuration wants it, and of the servers that are left. */
  async #reshape(): Promise<void> {
    const shape = shapeOf(this.#config);
    const slices = new TimeSlices(this.#context.clock, undefined, this.#store.lane);
    await this.#store.reshape(
      shape.mapper.storeFamilies(),
      async (tables) => {
        const changes: (() => void)[] = [];
        for (const server of this.#servers.values()) changes.push(await server.reshape(shape, tables));
        return () => {
          for (const change of changes) change();
        };
      },
      slices,
    );
  }

  /**
   * Where the receiver or the series changed, the state push of before sends once more and stops, and another one begins.
   * Then `before` ends: servers that were removed deliver what waits over the same connections.
   */
  #changeStatePush(before: OtlpPush | undefined, isReshaped: boolean, graceMs: number): void {
    const removed = [...this.#ending];
    const stopping = [];
    if (isReshaped || this.#push?.options.receiver !== before?.options.receiver) {
      stopping.push(this.#state?.stop(graceMs));
      this.#state = undefined;
      if (this.#started) this.#startState();
    }
    const next = this.#push;
    if (before === undefined) return;
    this.#endInBackground(
      Promise.all([...stopping, ...removed]).then(() => {
        if (this.#push?.tellsEnds !== true) this.#store.forgetPushed();
        return before.end(next);
      }),
    );
  }

  #startState(): void {
    const deliveryOf = (server: string) => this.#servers.get(server)?.delivery;
    const underWay = {
      endOf: (server: string, sensorId: string) => deliveryOf(server)?.endOf(sensorId),
      holds: (server: string, sensorId: string, channelId: string) =>
        deliveryOf(server)?.outbox.holds(sensorId, channelId) === true,
    };
    const stateOf = (server: string) => this.#servers.get(server)?.view.state;
    this.#state = this.#push?.startState(this.#store, underWay, stateOf, this.metrics, this.#context);
  }

  #endInBackground(ending: Promise<void>): void {
    const tracked = ending.finally(() => this.#ending.delete(tracked));
    this.#ending.add(tracked);
  }

  /** What pages look at: whatever is there when they are asked for. */
  #currentSources(): DebugSources & StatusSources {
    const { build, clock, leadership } = this.#context;
    const config = () => this.#config;
    const push = () => this.#push;
    const servers = () => this.#servers;
    return {
      store: this.#store,
      clock,
      build,
      metrics: this.metrics,
      courses: this.#courses,
      charts: new SensorCharts(clock, servers),
      isReady: () => this.#ready,
      leadership,
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
        return servers();
      },
    };
  }
}

async function remove(server: MonitoredServer, graceMs: number): Promise<void> {
  await server.stop(graceMs);
  await server.close();
  await server.forget();
}
