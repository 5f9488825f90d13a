import { digestConfig, pushFiles } from "../app/config-digests.ts";
import { ConfigReloader, type ReloadSource } from "../app/config-reloader.ts";
import { ConfigFiles, type ConfigWatchOptions, watchConfig } from "../app/config-watch.ts";
import {
  type CommandContext,
  type ConfigFlags,
  createContext,
  type ExporterContext,
  type LogFlags,
  loadFlaggedConfig,
  type ProcessRuntime,
  permitOf,
  readText,
} from "../app/context.ts";
import { type EventOutputs, openEvents, prepareEvents } from "../app/event-outputs.ts";
import { Exporter } from "../app/exporter.ts";
import { openOtlpPush, prepareOtlpPush, reloadWaitMs } from "../app/otlp-preparation.ts";
import type { OtlpPush } from "../app/otlp-push.ts";
import { endProcess } from "../app/process/end-process.ts";
import { requireMemory } from "../app/process/memory-limit.ts";
import { StandbySource, standbyConfig } from "../app/standby.ts";
import type { Config, LoadedConfig } from "../config/load.ts";
import { refuseBadFiles, type ServerFileAccess } from "../config/server-files.ts";
import type { Redactor } from "../errors/redactor.ts";
import { negotiateFormat } from "../exposition/negotiate.ts";
import type { McpAccess } from "../http/mcp/access.ts";
import { prepareMcp } from "../http/mcp/route.ts";
import { createRoutes, type ReloadResult, type Routes, reloadEndpoint, tenantRoutes } from "../http/pages/routes.ts";
import { startWebServer, type WebServer, type WebServerOptions } from "../http/server/connection-handler.ts";
import { filesMatching } from "../lib/bounded-files.ts";
import { otlpSettings } from "../otlp/settings.ts";
import { electionTimes, type LeaderElectionFlags, type WebFlags } from "./flags.ts";
import { type OpenElection, openElection, standBy } from "./leader-election.ts";
import { interruption, reloadSignals, stopSignal } from "./signals.ts";
import { openWebConfig, refuseUnknownUsers, webLimits, webObserver } from "./web-config.ts";

/** Time for responses and deliveries at a stop signal. */
const GRACE_MS = 5_000;
/** Time for a start that a signal interrupts. */
const START_GRACE_MS = 2_000;

export interface ServeFlags extends LogFlags, WebFlags, ConfigFlags, LeaderElectionFlags {
  readonly "config.check"?: boolean;
  /** Milliseconds; undefined: no watch. */
  readonly "config.autoReloadInterval"?: number;
  readonly once?: boolean;
}

/**
 * The daemon. Resolves with the exit code.
 * @throws ExporterError for what the user must mend: configuration, listen address
 */
export async function serve(flags: ServeFlags, redactor: Redactor): Promise<number> {
  // First of all: a container's first process ignores signals without a handler.
  const stopped = stopSignal();
  const reloads = reloadSignals();
  const commandContext = await createContext(flags, redactor);
  const isCheck = flags["config.check"] === true;
  if (!isCheck) requireMemory(process.constrainedMemory());
  const election = isCheck ? undefined : await openElection(flags, commandContext, process.env);
  const leadership = election?.leadership;
  const outgoing = { ...commandContext.outgoing, permit: permitOf(leadership) };
  const context = { ...commandContext, leadership, outgoing };
  const files = new ConfigFiles(readText, filesMatching);
  const lastGood: ServerFileAccess["lastGood"] = new Map();
  let serversFrom: Config["serversFrom"];
  const load = () =>
    files.read(async ({ readFile, ofServers }) => {
      const loaded = await loadFlaggedConfig(flags, context, process.env, readFile, { ...ofServers, lastGood });
      // The push reads them; this is for the watch.
      await Promise.allSettled(pushFiles(loaded.config.otlp ?? {}).map(readFile));
      ({ serversFrom } = loaded.config);
      return loaded;
    });
  if (isCheck) return checkConfig(flags, context, load);
  const starting = begin(flags, context, load);
  const early = await Promise.race([stopped, starting]);
  if (typeof early === "string") {
    // Ends in order what comes up after all; does not wait for what hangs.
    const patience = context.clock.sleep(START_GRACE_MS).then(() => undefined);
    const started = await Promise.race([starting.catch(() => undefined), patience]);
    await started?.stop();
    endProcess(0);
  }
  const running = early;
  const { reload } = running;
  reloads.follow(() => void reload());
  const watching = new AbortController();
  const watched = () => watchPlan(flags["config.autoReloadInterval"], serversFrom);
  const { clock, log } = context;
  void watchConfig({ files, watched, clock, log, reload }, watching.signal);
  if (election !== undefined) void takePart(election, running, context.log);
  context.log.info(`stopping on ${await stopped}`);
  watching.abort();
  const late = running.isTakingOver ? [clock.sleep(START_GRACE_MS).then(() => "late")] : [];
  // Half a start may still push: the Lease runs out.
  if ((await Promise.race([running.stop(), ...late])) === "late") endProcess(0);
  await election?.elector.stop();
  context.log.info("stopped");
  return 0;
}

/** `--config.check`. */
async function checkConfig(
  flags: ServeFlags,
  context: CommandContext,
  load: () => Promise<LoadedConfig>,
): Promise<number> {
  if (flags.leaderElect === true) electionTimes(flags);
  const { config, source, badServerFiles } = await load();
  refuseBadFiles(badServerFiles);
  for (const warning of otlpSettings(process.env, config.otlp).warnings) context.log.warn(warning);
  const web = await openWebConfig(flags, context);
  refuseUnknownUsers(config, web);
  context.print(`${source}: the configuration is valid`);
  if (web !== undefined) context.print(`${flags["web.config.file"]}: the web configuration is valid`);
  return 0;
}

/** This replica leads from its election on. */
async function takePart(election: OpenElection, running: Serving, log: ProcessRuntime["log"]): Promise<void> {
  await standBy(election, log);
  try {
    await running.takeOver();
  } catch (err) {
    log.fatal({ err }, "this replica cannot take over: it releases the Lease and exits");
    await running.stop();
    await election.elector.stop();
    endProcess(1);
  }
}

/** Always watches files of `servers_from`, as service discovery does. */
function watchPlan(
  intervalMs: number | undefined,
  serversFrom: Config["serversFrom"],
): ReturnType<ConfigWatchOptions["watched"]> {
  if (intervalMs !== undefined) return { intervalMs, scope: "all" };
  return serversFrom && { intervalMs: serversFrom.refreshIntervalMs, scope: "servers" };
}

/** Up to the first poll. */
async function begin(flags: ServeFlags, context: ExporterContext, load: () => Promise<LoadedConfig>): Promise<Serving> {
  const { config, source } = await load();
  const servers = config.servers.map(({ name }) => name);
  context.log.info({ version: context.build.version, config: source, servers }, "prtg-exporter starts");
  const waitMs = reloadWaitMs(context);
  const reloads: ReloadSource = {
    load: async () => (await load()).config,
    preparePush: (chosen) => prepareOtlpPush(chosen, context, process.env, waitMs),
    prepareEvents: (chosen) => prepareEvents(chosen, context, process.env, waitMs),
  };
  if (context.leadership !== undefined) {
    // Reports problems now, not when it is needed.
    otlpSettings(process.env, config.otlp);
    const source = new StandbySource(reloads, config, context.log);
    return startServing({ config: standbyConfig(config), flags, context, source });
  }
  const push = await openOtlpPush(config, context, process.env);
  const events = await openEvents(config, context, process.env);
  return startServing({ config, flags, context, source: reloads, push, events });
}

/**
 * One poll, and the page on standard output. Resolves with the exit code: 1 when a part of the poll failed.
 * @throws ExporterError for what the user must mend
 */
export async function serveOnce(flags: ServeFlags, redactor: Redactor): Promise<number> {
  const interrupted = interruption();
  const context = await createContext(flags, redactor);
  const { config } = await loadFlaggedConfig(flags, context);
  const exporter = new Exporter(config, context);
  try {
    const worked = await exporter.pollOnce(interrupted.signal);
    // Half a page would pass for a whole one.
    if (interrupted.exitCode !== undefined) return interrupted.exitCode;
    process.stdout.write(Buffer.concat(await exporter.exposition.page(negotiateFormat({}), "identity")));
    return worked ? 0 : 1;
  } finally {
    await exporter.stop();
  }
}

export interface Serving {
  readonly web: WebServer;
  /** Whether it worked. Resolves after the first poll of each server, and never after `stop`. */
  readonly firstPoll: Promise<boolean>;
  /** Never rejects. */
  reload(): Promise<ReloadResult>;
  /** A standby leads from now on. Resolves when all has begun; rejects with what prevents that. */
  takeOver(): Promise<void>;
  readonly isTakingOver: boolean;
  /** May be called again. */
  stop(): Promise<void>;
}

export interface ServingOptions {
  readonly config: Config;
  readonly flags: WebFlags;
  readonly context: ExporterContext;
  /** `undefined`: the configuration is fixed. */
  readonly source?: ReloadSource;
  readonly push?: OtlpPush | undefined;
  readonly events?: EventOutputs | undefined;
}

const NOTHING_TO_RELOAD: ReloadSource = {
  load: () => Promise.reject(new Error("there is no configuration to reload")),
  preparePush: () => Promise.resolve(undefined),
  prepareEvents: () => Promise.resolve(undefined),
};

/** Listens first: a taken port shows before any request. */
export async function startServing(options: ServingOptions): Promise<Serving> {
  const { config, flags, context, source = NOTHING_TO_RELOAD, push, events } = options;
  const { log, clock } = context;
  let startedAt = clock.monotonic();
  const webConfig = await openWebConfig(flags, context);
  refuseUnknownUsers(config, webConfig);
  if (config.web.mcp) await prepareMcp();
  const exporter = new Exporter(config, context, push, events);
  const reloader = new ConfigReloader(exporter, await digestConfig(config), context);
  const load = async () => {
    const next = await source.load();
    refuseUnknownUsers(next, webConfig);
    return next;
  };
  const reload = () => reloader.reload({ ...source, load }, GRACE_MS);
  const web = await startWebServer({
    addresses: flags["web.listenAddress"],
    ...webLimits(flags),
    webConfig,
    observer: webObserver(() => exporter.metrics),
    log,
    telemetryPath: flags["web.telemetryPath"],
    ...routesOf(exporter, flags, context),
    actions: new Map([["/-/reload", reloadEndpoint(flags["web.enableLifecycle"] === true ? reload : undefined)]]),
  });
  for (const url of web.urls) log.info(`serving metrics on ${url}${flags["web.telemetryPath"]}`);
  const firstPoll = Promise.withResolvers<boolean>();
  let stopping: Promise<unknown> | undefined;
  let isTakingOver = false;
  const finished = (worked: boolean): void => {
    if (stopping !== undefined) return;
    const seconds = Number(((clock.monotonic() - startedAt) / 1_000).toFixed(1));
    log.info({ seconds, up: worked }, "first poll finished: ready");
    firstPoll.resolve(worked);
  };
  const started = exporter.start();
  if (config.standbyFor === undefined) void started.then(finished);
  return {
    web,
    firstPoll: firstPoll.promise,
    reload,
    takeOver: async () => {
      startedAt = clock.monotonic();
      isTakingOver = true;
      const error = await takeOver(source, reload);
      isTakingOver = false;
      if (stopping !== undefined) return;
      if (error !== undefined) throw error;
      void exporter.firstPolls().then(finished);
    },
    get isTakingOver() {
      return isTakingOver;
    },
    stop: async () => {
      stopping ??= Promise.all([web.close(GRACE_MS), reloader.stop(GRACE_MS)]);
      await stopping;
    },
  };
}

/** Resolves with the error that prevents it. */
async function takeOver(source: ReloadSource, reload: () => Promise<ReloadResult>): Promise<Error | undefined> {
  if (!(source instanceof StandbySource)) return new Error("this replica is not a standby");
  source.lead();
  const result = await reload();
  return result.kind === "refused" ? new Error(result.message) : undefined;
}

function routesOf(
  exporter: Exporter,
  flags: WebFlags,
  { build, log }: Pick<ExporterContext, "build" | "log">,
): Pick<WebServerOptions, "routes" | "restricted"> {
  const { metrics, scrapeExposition, status, debug, discovery } = exporter;
  const options = {
    telemetryPath: flags["web.telemetryPath"],
    exposition: scrapeExposition,
    hasServer: (name: string) => exporter.hasServer(name),
    served: (format: string) => metrics.exposition.scraped({ format }),
    rejected: (reason: "requests" | "slow_reader") => metrics.web.rejected({ reason }),
    ...{ isReady: () => exporter.ready, status, debug, discovery },
    mcp: mcpAccess(exporter, build.version, log),
  };
  // A reload brings other lists. Routes have queues, so that all requests of a user must share them.
  const tenants = new WeakMap<readonly string[], Routes>();
  return {
    routes: createRoutes(options),
    restricted: (user) => {
      const servers = exporter.serversOf(user);
      if (servers === undefined) return undefined;
      if (servers.length === 0) return new Map();
      const known = tenants.get(servers);
      const routes = known ?? tenantRoutes(options, servers, exporter.statusOf(servers));
      if (known === undefined) tenants.set(servers, routes);
      return routes;
    },
  };
}

function mcpAccess(exporter: Exporter, version: string, log: ExporterContext["log"]): McpAccess {
  return {
    version,
    isEnabled: () => exporter.web.mcp,
    externalUrl: () => exporter.web.externalUrl,
    called: (tool, result) => exporter.metrics.mcp.calls({ tool, result }),
    failed: (tool, err) => log.error({ tool, err }, "a tool of the MCP server failed"),
  };
}
