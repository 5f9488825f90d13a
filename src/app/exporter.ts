import pLimit from "p-limit";
import { Phases } from "../collectors/phases.ts";
import { createTimetable } from "../collectors/timetable.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { Exposition } from "../exposition/exposition.ts";
import type { Discovery } from "../http/pages/service-discovery-endpoint.ts";
import type { DebugPages } from "../http/pages/status/debug-view.ts";
import type { StatusSource } from "../http/pages/status/source.ts";
import { TimeSlices, yieldToEventLoop } from "../lib/yielding.ts";
import { Store } from "../store/store.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import type { ConfigDigests } from "./config-digests.ts";
import { connectServer } from "./connect-server.ts";
import type { ExporterContext } from "./context.ts";
import { beginEvents, type EventOutputs, type PreparedEvents } from "./event-outputs.ts";
import { ExtraBudget } from "./extra-budget.ts";
import { type ConfiguredShape, shapeOf } from "./mapping.ts";
import { createMetricsPage, reportLinks } from "./metrics-page.ts";
import { MonitoredServer } from "./monitored-server.ts";
import { beginPush } from "./otlp-preparation.ts";
import type { OtlpPush, PreparedPush } from "./otlp-push.ts";
import { planPipeline } from "./pipeline-plan.ts";
import { serversInTime } from "./readiness.ts";
import { SensorCharts } from "./reports/sensor-charts.ts";
import { createDiscovery } from "./reports/service-discovery.ts";
import type { DebugSources, StatusSources } from "./reports/sources.ts";
import { createDebugPages, createStatusPages, type StatusPages } from "./reports/status-pages.ts";
import { StateOutput } from "./state-output.ts";
import { StatusCourses } from "./status-courses.ts";

/** From so many servers on, requests take most of the CPU time, and one list replaces four: see `AllNodesReader`. */
const MANY_SERVERS = 20;

/**
 * Servers that start between pieces of other work. If hundreds started at once, all would hold their first answers in memory. With
 * one at a time, 500 servers take 8 to 9 s instead of 7 s.
 */
const MAX_STARTING = 16;

/** A configuration, checked and prepared. */
export interface ConfigChange {
  readonly config: Config;
  readonly digests: ConfigDigests;
  /** `undefined` if push is disabled. */
  readonly push: PreparedPush | undefined;
  /** `undefined` without events. */
  readonly events: PreparedEvents | undefined;
}

type Servers = ReadonlyMap<string, MonitoredServer>;

/** One change of the configuration, as its steps see it. */
interface Reload {
  readonly next: ConfigChange;
  /** Servers that stay, and servers that end. */
  readonly kept: Servers;
  readonly gone: Servers;
  readonly isReshaped: boolean;
  readonly isReconnected: (server: string) => boolean;
  /** Outputs before the reload. */
  readonly past: { readonly push: OtlpPush | undefined; readonly events: EventOutputs | undefined };
  readonly graceMs: number;
}

type Done = Readonly<Record<string, unknown>>;
type ReloadStep = (reload: Reload) => Done | undefined | Promise<Done | undefined>;

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
  readonly #pages: StatusPages;
  readonly discovery: Discovery;
  readonly #courses: StatusCourses;
  readonly #charts: SensorCharts;
  readonly #extras: ExtraBudget;
  readonly #context: ExporterContext;
  readonly #store: Store;
  readonly #state: StateOutput;
  readonly #phases: Phases;
  readonly #starts = pLimit(MAX_STARTING);
  readonly #ending = new Set<Promise<void>>();
  #config: Config;
  /** Compiled from the configuration. */
  #shape: ConfiguredShape;
  #servers: Servers;
  #push: OtlpPush | undefined;
  #events: EventOutputs | undefined;
  #following: Promise<unknown> | undefined;
  readonly #stopping = new AbortController();
  #isStarted = false;
  #isReady = false;

  /** The exporter closes `push` and `events`. */
  constructor(config: Config, context: ExporterContext, push?: OtlpPush, events?: EventOutputs) {
    const { clock, log, redactor, eventLoopBusyMs } = context;
    this.#context = context;
    this.#phases = new Phases(context.random);
    this.#config = config;
    this.#shape = shapeOf(config);
    const store = new Store(this.#shape.mapper.storeFamilies());
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
    reportLinks(this.metrics, this.#config);
    if (config.web.mcp) metrics.beginMcp();
    this.#state = new StateOutput({ store, metrics, context, monitorOf: (name) => this.#servers.get(name) });
    this.#courses = new StatusCourses(clock, () => this.#servers);
    this.#charts = new SensorCharts(clock, () => this.#servers);
    const sources = this.#sources.bind(this);
    this.debug = createDebugPages(sources, redactor);
    this.#pages = createStatusPages(sources, redactor);
    this.status = this.#pages.all;
    this.discovery = createDiscovery(sources, redactor);
  }

  /** The page contains the first poll of each server, or 30 s have passed. */
  get ready(): boolean {
    return this.#isReady;
  }

  /** Settings of the web server. A reload replaces them. */
  get web(): Config["web"] {
    return this.#config.web;
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

  /** The status page of a user who sees only these servers. */
  statusOf(servers: readonly string[]): StatusSource {
    return this.#pages.of(servers);
  }

  /** Resolves after the first poll of each server, with whether all worked. */
  async start(): Promise<boolean> {
    this.#isStarted = true;
    this.metrics.collectProcessMetrics();
    this.exposition.start();
    const servers = [...this.#servers.values()];
    for (const server of servers) server.start();
    this.#following = Promise.all([this.#courses.run(), this.#extras.run(this.#stopping.signal)]);
    this.#state.start(this.#push, this.#shape.mapper);
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
  async change(before: ConfigDigests, next: ConfigChange, graceMs: number): Promise<void> {
    const { log } = this.#context;
    const { servers, shape } = next.digests;
    const known = [...this.#servers];
    const reload: Reload = {
      next,
      kept: new Map(known.filter(([name]) => servers.has(name))),
      gone: new Map(known.filter(([name]) => !servers.has(name))),
      isReshaped: shape !== before.shape,
      isReconnected: (name) => servers.get(name) !== before.servers.get(name),
      past: { push: this.#push, events: this.#events },
      graceMs,
    };
    for (const [step, run] of this.#reloadSteps) {
      try {
        log.debug({ step, ...(await run(reload)) }, "reload");
      } catch (error) {
        log.error({ step }, "a step of the reload failed: the next reload repeats all steps");
        throw error;
      }
    }
  }

  /** Steps of a reload, in this order. A step may return what it did, for the log. */
  readonly #reloadSteps: readonly (readonly [name: string, run: ReloadStep])[] = [
    // A server may come back that ends in the background.
    ["wait for servers that end", async () => ({ ended: (await Promise.all(this.#ending)).length })],
    ["apply settings", ({ next }) => this.#applySettings(next.config)],
    ["remove servers", (reload) => this.#removeServers(reload)],
    ["reshape series", (reload) => this.#reshape(reload)],
    ["begin push and events", (reload) => this.#beginOutputs(reload)],
    ["change servers", (reload) => this.#changeServers(reload)],
    ["add servers", (reload) => this.#addServers(reload)],
    ["end push and events", (reload) => this.#endOutputs(reload)],
    ["start servers", () => this.#startServers()],
  ];

  #applySettings(config: Config): undefined {
    this.#config = config;
    this.#shape = shapeOf(config);
    this.#reportLeadership();
    if (config.web.mcp) this.metrics.beginMcp();
    this.exposition.limit(config.limits);
    this.metrics.setApiDetail(config.metrics.apiDetail);
  }

  #removeServers({ gone, kept, graceMs }: Reload): Done {
    this.#servers = kept;
    for (const server of gone.values()) {
      server.markBacklog();
      this.#endInBackground(remove(server, graceMs));
    }
    return { servers: [...gone.keys()] };
  }

  /** Serves the state of the remaining servers in the shape of the configuration. */
  async #reshape({ isReshaped, gone }: Reload): Promise<Done> {
    if (!isReshaped && gone.size === 0) return { reshaped: 0 };
    const shape = this.#shape;
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
    return { reshaped: this.#servers.size };
  }

  async #beginOutputs({ next, past }: Reload): Promise<Done> {
    const { log } = this.#context;
    this.#push = next.push && (await beginPush(next.push, past.push, log));
    this.#events = next.events && (await beginEvents(next.events, past.events, log));
    return { pushes: this.#push !== undefined, reportsEvents: this.#events !== undefined };
  }

  async #changeServers({ next: { config }, kept, isReconnected, graceMs }: Reload): Promise<Done> {
    const changing = config.servers.map(async (server) => {
      const known = kept.get(server.name);
      if (known === undefined) return;
      const plan = planPipeline(server, config, this.#push);
      const disconnect = await known.change(plan, isReconnected(server.name), graceMs);
      this.#endInBackground(disconnect());
      await known.changeEvents(this.#events?.of(server.name), graceMs);
    });
    await Promise.all(changing);
    return { reconnected: [...kept.keys()].filter(isReconnected) };
  }

  #addServers({ next: { config }, kept }: Reload): Done {
    const servers = config.servers.map(
      (server) => [server.name, kept.get(server.name) ?? this.#create(server)] as const,
    );
    this.#servers = new Map(servers);
    reportLinks(this.metrics, this.#config);
    return { servers: servers.map(([name]) => name).filter((name) => !kept.has(name)) };
  }

  /**
   * Earlier events end after the servers that end. If the receiver or the series changed, the old state push sends once more
   * and stops, and a new one starts. The earlier push ends after it, and after removed servers have delivered their backlog.
   */
  #endOutputs({ past, isReshaped, graceMs }: Reload): undefined {
    const [push, events] = [this.#push, this.#events];
    const { push: before, events: eventsBefore } = past;
    if (eventsBefore !== undefined) {
      this.#endInBackground(Promise.all([...this.#ending]).then(() => eventsBefore.end(events)));
    }
    const last: Promise<unknown>[] = [...this.#ending];
    if (isReshaped || push?.options.receiver !== before?.options.receiver) {
      last.push(this.#state.stop(graceMs));
      if (this.#isStarted) this.#state.start(push, this.#shape.mapper);
    }
    if (before === undefined) return;
    this.#endInBackground(
      Promise.all(last).then(() => {
        if (this.#push?.sendsEnds !== true) this.#store.forgetPushed();
        return before.end(push);
      }),
    );
  }

  #startServers(): undefined {
    if (this.#isStarted) for (const server of this.#servers.values()) server.start();
  }

  /** Ends polls, delivers the backlog within `graceMs`, ends sessions and closes connections. */
  async stop(graceMs = 0): Promise<void> {
    this.#courses.stop();
    this.#stopping.abort();
    const servers = [...this.#servers.values()];
    const stopping = servers.map((server) => server.stop(graceMs));
    // Servers that end in the background may still push.
    await Promise.all([this.#state.stop(graceMs), this.#following, ...stopping, ...this.#ending]);
    await Promise.all([this.#events?.end(), this.#push?.end(), ...servers.map((server) => server.close())]);
    this.exposition.stop();
  }

  #create(server: ServerConfig): MonitoredServer {
    const { clock, random, log, memory } = this.#context;
    return new MonitoredServer({
      plan: planPipeline(server, this.#config, this.#push),
      events: this.#events?.of(server.name),
      shape: this.#shape,
      store: this.#store,
      exporterMetrics: this.metrics,
      memory,
      extras: this.#extras.work,
      phase: this.#phases.next(),
      turnToStart: () => this.#starts(() => yieldToEventLoop()),
      pageUpToDate: () => this.exposition.upToDate(),
      isOneOfMany: () => this.#servers.size >= MANY_SERVERS,
      connect: (reached, metrics, bound) => connectServer(reached, metrics, bound, this.#context),
      clock,
      random,
      log,
    });
  }

  /** Reports findings of a configuration, also of one that a reload refuses. */
  reportFindings({ badServerFiles = 0, deprecated = [] }: Config): void {
    this.metrics.config.badServerFiles(badServerFiles);
    this.metrics.config.deprecated(deprecated.length);
  }

  #reportLeadership(): void {
    const { leadership } = this.#context;
    if (leadership !== undefined) {
      this.metrics.leadership.leader({ lease: leadership.lease }, this.#config.standbyFor === undefined);
    }
  }

  #endInBackground(ending: Promise<void>): void {
    const tracked = ending.finally(() => this.#ending.delete(tracked));
    this.#ending.add(tracked);
  }

  /** What pages read, as of now. */
  #sources(): DebugSources & StatusSources {
    const { build, clock, leadership } = this.#context;
    return {
      clock,
      build,
      leadership,
      store: this.#store,
      metrics: this.metrics,
      courses: this.#courses,
      charts: this.#charts,
      isReady: this.#isReady,
      config: this.#config,
      mapper: this.#shape.mapper,
      receiver: this.#push?.address,
      monitors: this.#servers,
    };
  }
}

async function remove(server: MonitoredServer, graceMs: number): Promise<void> {
  await server.stop(graceMs);
  await server.close();
  await server.forget();
}
