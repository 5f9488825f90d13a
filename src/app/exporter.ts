import { createTimetable, Phases } from "../collectors/timetable.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { Exposition } from "../exposition/exposition.ts";
import type { Discovery } from "../http/pages/service-discovery-endpoint.ts";
import type { DebugPages } from "../http/pages/status/debug-view.ts";
import { serverLink } from "../http/pages/status/links.ts";
import type { StatusSource } from "../http/pages/status/source.ts";
import { TimeSlices } from "../lib/yielding.ts";
import type { StatePush } from "../otlp/state-push.ts";
import { Store } from "../store/store.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { EXPORTER_METRICS } from "../telemetry/metric-declarations.ts";
import type { ConfigDigests } from "./config-digests.ts";
import type { ExporterContext } from "./context.ts";
import { beginEvents, type EventOutputs, type PreparedEvents } from "./event-outputs.ts";
import { ExtraBudget } from "./extra-budget.ts";
import { mappingOf, shapeOf } from "./mapping.ts";
import { createMetricsPage } from "./metrics-page.ts";
import { MonitoredServer } from "./monitored-server.ts";
import { beginPush } from "./otlp-preparation.ts";
import type { OtlpPush, PreparedPush } from "./otlp-push.ts";
import { planPipeline } from "./pipeline-plan.ts";
import { serversInTime } from "./readiness.ts";
import { SensorCharts } from "./reports/sensor-charts.ts";
import { createDiscovery } from "./reports/service-discovery.ts";
import type { DebugSources, StatusSources } from "./reports/sources.ts";
import { createDebugPages, createStatusSource } from "./reports/status-pages.ts";
import { StatusCourses } from "./status-courses.ts";

/** From so many servers on, requests take most of the CPU time, and one list replaces four: see `AllNodesReader`. */
const MANY_SERVERS = 20;

/** A configuration, checked and prepared. */
export interface ConfigChange {
  readonly config: Config;
  readonly digests: ConfigDigests;
  /** `undefined` if push is disabled. */
  readonly push: PreparedPush | undefined;
  /** `undefined` without events. */
  readonly events: PreparedEvents | undefined;
}

/**
 * Everything between the PRTG servers and the metrics page. A changed configuration touches only the parts that differ: the
 * others keep state, sessions, counters and schedules.
 */
export class Exporter {
  readonly metrics: ExporterMetrics;
  readonly exposition: Exposition;
  /** Extras pause during a scrape. */
  readonly scrapeExposition: Pick<Exposition, "streamedPage">;
  readonly debug: DebugPages;
  readonly status: StatusSource;
  readonly discovery: Discovery;
  readonly #courses: StatusCourses;
  readonly #extras: ExtraBudget;
  readonly #context: ExporterContext;
  readonly #store: Store;
  readonly #phases = new Phases();
  readonly #ending = new Set<Promise<void>>();
  #config: Config;
  #servers: ReadonlyMap<string, MonitoredServer>;
  #push: OtlpPush | undefined;
  #events: EventOutputs | undefined;
  #state: StatePush | undefined;
  #following: Promise<unknown> | undefined;
  readonly #stopping = new AbortController();
  #isStarted = false;
  #isReady = false;

  /** The exporter closes `push` and `events`. */
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
    this.reportFindings(config);
    this.#reportLeadership();
    const cycles = () => createTimetable(this.#config.collectors.timeseries.schedule, clock, log);
    this.#extras = new ExtraBudget({ clock, log, metrics, eventLoopBusyMs, cycleMs: () => cycles().period() });
    this.scrapeExposition = {
      streamedPage: (format, encoding, shard, reader) => {
        if (reader !== undefined) this.#extras.work.pauseFor(reader.used);
        return exposition.streamedPage(format, encoding, shard, reader);
      },
    };
    this.#servers = new Map(config.servers.map((server) => [server.name, this.#create(server)]));
    this.#reportLinks();
    this.#courses = new StatusCourses(clock, () => this.#servers);
    const current = this.#currentSources();
    this.debug = createDebugPages(current, redactor);
    this.status = createStatusSource(current, redactor);
    this.discovery = createDiscovery(current, redactor);
  }

  /** The page contains the first poll of each server, or 30 s have passed. */
  get ready(): boolean {
    return this.#isReady;
  }

  hasServer(name: string): boolean {
    return this.#servers.has(name) || this.#config.standbyFor?.includes(name) === true;
  }

  monitor(name: string): MonitoredServer | undefined {
    return this.#servers.get(name);
  }

  /**
   * Servers that a user of the web server may see; `undefined`: all. If users are restricted, a request without a user sees none:
   * the web configuration may have lost its passwords.
   */
  serversOf(user: string | undefined): readonly string[] | undefined {
    const { users } = this.#config.web;
    if (user === undefined) return users.size === 0 ? undefined : [];
    return users.get(user)?.servers;
  }

  /** Resolves after the first poll of each server, with whether all worked. */
  async start(): Promise<boolean> {
    this.#isStarted = true;
    this.metrics.collectProcessMetrics();
    this.exposition.start();
    const servers = [...this.#servers.values()];
    for (const server of servers) server.start();
    this.#following = Promise.all([this.#courses.run(), this.#extras.run(this.#stopping.signal)]);
    this.#startState();
    const waiting = new Map([...this.#servers].map(([name, { firstPoll }]) => [name, firstPoll]));
    const polled = this.firstPolls();
    const late = await serversInTime(waiting, polled, this.#context.clock, this.#stopping.signal);
    if (late.length > 0)
      this.#context.log.warn({ servers: late }, "ready, although the first poll of servers has not ended");
    this.#isReady = true;
    return polled;
  }

  /** Resolves when the page contains the first poll of each server, with whether all worked. */
  async firstPolls(): Promise<boolean> {
    await Promise.all([...this.#servers.values()].map(({ firstPoll }) => firstPoll));
    await this.exposition.refresh();
    return [...this.#servers.values()].every((server) => server.status().up);
  }

  /** Resolves with whether all worked; false when `signal` aborts. */
  async pollOnce(signal: AbortSignal): Promise<boolean> {
    const worked = await Promise.all([...this.#servers.values()].map((server) => server.pollOnce(signal)));
    return worked.every(Boolean);
  }

  /**
   * Applies another configuration. Values in memory are served in the new shape at once, without a request. One at a time; not
   * after `stop`.
   * @param before Digests of the current configuration.
   * @param graceMs For deliveries of parts that end.
   */
  async change(
    before: ConfigDigests,
    { config, digests, push: prepared, events: preparedEvents }: ConfigChange,
    graceMs: number,
  ): Promise<void> {
    // A server may come back that ends in the background.
    await Promise.all(this.#ending);
    const gone = [...this.#servers].filter(([name]) => !digests.servers.has(name));
    const kept = new Map([...this.#servers].filter(([name]) => digests.servers.has(name)));
    this.#config = config;
    this.#reportLeadership();
    this.exposition.limit(config.limits);
    this.metrics.setApiDetail(config.metrics.apiDetail);
    this.#servers = kept;
    for (const [, server] of gone) {
      server.markBacklog();
      this.#endInBackground(remove(server, graceMs));
    }
    const isReshaped = digests.shape !== before.shape;
    if (isReshaped || gone.length > 0) await this.#reshape();
    const push = this.#push;
    this.#push = prepared && (await beginPush(prepared, push, this.#context.log));
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
    this.#reportLinks();
    const nextEvents = this.#events;
    if (events !== undefined) this.#endInBackground(Promise.all([...this.#ending]).then(() => events.end(nextEvents)));
    this.#changeStatePush(push, isReshaped, graceMs);
    if (this.#isStarted) for (const server of this.#servers.values()) server.start();
  }

  /** Ends polls, delivers the backlog within `graceMs`, ends sessions and closes connections. */
  async stop(graceMs = 0): Promise<void> {
    this.#courses.stop();
    this.#stopping.abort();
    const servers = [...this.#servers.values()];
    const stopping = servers.map((server) => server.stop(graceMs));
    // Servers that end in the background may still push.
    await Promise.all([this.#state?.stop(graceMs), this.#following, ...stopping, ...this.#ending]);
    await Promise.all([this.#events?.end(), this.#push?.end(), ...servers.map((server) => server.close())]);
    this.exposition.stop();
  }

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

  /** Also of a configuration that a reload refuses. */
  reportFindings({ badServerFiles = 0, deprecated = [] }: Config): void {
    this.metrics.config.badServerFiles(badServerFiles);
    this.metrics.config.deprecated(deprecated.length);
  }

  #reportLeadership(): void {
    const { leadership } = this.#context;
    if (leadership !== undefined) {
      this.metrics.leadership.leader(leadership.lease, this.#config.standbyFor === undefined);
    }
  }

  #reportLinks(): void {
    const { webInterface, statusPage } = EXPORTER_METRICS.config;
    const { externalUrl } = this.#config.web;
    this.metrics.clear(webInterface);
    this.metrics.clear(statusPage);
    for (const { name, webUrl } of this.#config.servers) {
      this.metrics.config.webInterface(name, webUrl, 1);
      if (externalUrl !== undefined)
        this.metrics.config.statusPage(name, new URL(serverLink(name), `${externalUrl}/`).href, 1);
    }
  }

  /** Serves the state of the remaining servers in the shape of the configuration. */
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
   * If the receiver or the series changed, the old state push sends once more and stops, and a new one starts. `before` ends after
   * the removed servers have delivered their backlog.
   */
  #changeStatePush(before: OtlpPush | undefined, isReshaped: boolean, graceMs: number): void {
    const removed = [...this.#ending];
    const stopping = [];
    if (isReshaped || this.#push?.options.receiver !== before?.options.receiver) {
      stopping.push(this.#state?.stop(graceMs));
      this.#state = undefined;
      if (this.#isStarted) this.#startState();
    }
    const next = this.#push;
    if (before === undefined) return;
    this.#endInBackground(
      Promise.all([...stopping, ...removed]).then(() => {
        if (this.#push?.sendsEnds !== true) this.#store.forgetPushed();
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

  /** For pages: always the current objects. */
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
      isReady: () => this.#isReady,
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
