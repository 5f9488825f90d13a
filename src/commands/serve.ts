import type { Config } from "../config/load.ts";
import type { Redactor } from "../errors/redactor.ts";
import { negotiateFormat } from "../exposition/negotiate.ts";
import { type Reloaded, reloadEndpoint } from "../http/reload-endpoint.ts";
import { createRoutes } from "../http/routes.ts";
import { startWebServer, type WebServer } from "../http/web-server.ts";
import { type CommandContext, createContext, loadFlaggedConfig } from "./context.ts";
import { Exporter } from "./exporter.ts";
import type { ConfigFlags, LogFlags, WebFlags } from "./flags.ts";
import { checkedConfig, LiveExporter, type ReloadSource } from "./live-exporter.ts";
import { type OtlpPush, openOtlpPush } from "./otlp-push.ts";
import { interruption, untilStopSignal } from "./signals.ts";

/** Responses and deliveries under way when a stop signal comes may take this long to end. */
const GRACE_MS = 5_000;

export interface ServeFlags extends LogFlags, WebFlags, ConfigFlags {
  readonly "config.check"?: boolean;
  readonly once?: boolean;
}

/**
 * The daemon. Resolves with the exit code.
 * @throws ExporterError for what only the user can mend: configuration, listen address
 */
export async function serve(flags: ServeFlags, redactor: Redactor): Promise<number> {
  // First of all: the first process of a container does not even die of a signal that it does not handle.
  const stopped = untilStopSignal();
  const context = createContext(flags, redactor);
  const { config, source } = await loadFlaggedConfig(flags, context);
  if (flags["config.check"] === true) {
    context.print(`${source}: the configuration is valid`);
    return 0;
  }
  const servers = config.servers.map(({ name }) => name);
  context.log.info({ version: context.build.version, config: source, servers }, "prtg-exporter starts");
  const openPush = (chosen: Config) => openOtlpPush(chosen, context, process.env);
  const load = async () => checkedConfig((await loadFlaggedConfig(flags, context)).config);
  const running = await startServing(config, flags, context, await openPush(config), { load, openPush });
  process.on("SIGHUP", () => void running.reload());
  context.log.info(`stopping on ${await stopped}`);
  await running.stop();
  context.log.info("stopped");
  return 0;
}

/**
 * One poll, and the page on standard output. Resolves with the exit code: 1 when a part of the poll failed.
 * @throws ExporterError for what only the user can mend
 */
export async function serveOnce(flags: ServeFlags, redactor: Redactor): Promise<number> {
  const interrupted = interruption();
  const context = createContext(flags, redactor);
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
  /** Resolves with whether it worked when the first attempt on every server has finished; never after `stop`. */
  readonly firstPoll: Promise<boolean>;
  /** Reads the configuration again. Never rejects. */
  reload(): Promise<Reloaded>;
  stop(): Promise<void>;
}

/** Where the configuration is fixed. */
const NOTHING_TO_RELOAD: ReloadSource = {
  load: () => Promise.reject(new Error("there is no configuration to read again")),
  openPush: () => Promise.resolve(undefined),
};

/** Listens first, so that a taken port is noticed before any server is asked anything. */
export async function startServing(
  config: Config,
  flags: WebFlags,
  context: CommandContext,
  push?: OtlpPush,
  source: ReloadSource = NOTHING_TO_RELOAD,
): Promise<Serving> {
  const { log, clock } = context;
  const startedAt = clock.monotonic();
  const exporter = new Exporter(config, context, push);
  const live = new LiveExporter(exporter, checkedConfig(config).fingerprint, context);
  const reload = () => live.reload(source, GRACE_MS);
  let routes = routesOf(live, config, flags, context);
  live.onChange((changed) => {
    routes = routesOf(live, changed, flags, context);
  });
  const web = await startWebServer({
    addresses: flags["web.listenAddress"],
    log,
    routes: { get: (path) => routes.get(path) },
    actions: new Map([["/-/reload", reloadEndpoint(flags["web.enableLifecycle"] === true ? reload : undefined)]]),
  });
  for (const url of web.urls) log.info(`serving metrics on ${url}${flags["web.telemetryPath"]}`);
  const firstPoll = Promise.withResolvers<boolean>();
  let stopping = false;
  void exporter.start().then((worked) => {
    if (stopping) return;
    const seconds = Number(((clock.monotonic() - startedAt) / 1_000).toFixed(1));
    log.info({ seconds, up: worked }, "first poll finished: ready");
    firstPoll.resolve(worked);
  });
  return {
    web,
    firstPoll: firstPoll.promise,
    reload,
    stop: async () => {
      stopping = true;
      await Promise.all([web.close(GRACE_MS), live.stop(GRACE_MS)]);
    },
  };
}

/** The pages of whichever exporter is shown. */
function routesOf(live: LiveExporter, config: Config, flags: WebFlags, { build }: CommandContext) {
  return createRoutes({
    telemetryPath: flags["web.telemetryPath"],
    exposition: { page: (format, encoding) => live.shown.exposition.page(format, encoding) },
    served: (format) => live.shown.metrics.scrapes.inc({ format }),
    isReady: () => live.shown.ready,
    version: build.version,
    servers: config.servers.map(({ name }) => name),
    debug: {
      explain: (query) => live.shown.debug.explain(query),
      cardinality: (query) => live.shown.debug.cardinality(query),
    },
  });
}
