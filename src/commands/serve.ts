import type { Config } from "../config/load.ts";
import type { Redactor } from "../errors/redactor.ts";
import { negotiateFormat } from "../exposition/negotiate.ts";
import { createRoutes } from "../http/routes.ts";
import { startWebServer, type WebServer } from "../http/web-server.ts";
import { type CommandContext, createContext, loadFlaggedConfig } from "./context.ts";
import { Exporter } from "./exporter.ts";
import type { ConfigFlags, LogFlags, WebFlags } from "./flags.ts";
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
  const push = await openOtlpPush(config, context, process.env);
  const running = await startServing(config, flags, context, push);
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
  stop(): Promise<void>;
}

/** Listens first, so that a taken port is noticed before any server is asked anything. */
export async function startServing(
  config: Config,
  flags: WebFlags,
  context: CommandContext,
  push?: OtlpPush,
): Promise<Serving> {
  const { log, clock } = context;
  const startedAt = clock.monotonic();
  const exporter = new Exporter(config, context, push);
  const web = await startWebServer({
    addresses: flags["web.listenAddress"],
    log,
    routes: createRoutes({
      telemetryPath: flags["web.telemetryPath"],
      exposition: exporter.exposition,
      served: (format) => exporter.metrics.scrapes.inc({ format }),
      isReady: () => exporter.ready,
      version: context.build.version,
      servers: config.servers.map(({ name }) => name),
      debug: exporter.debug,
    }),
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
    stop: async () => {
      stopping = true;
      await Promise.all([web.close(GRACE_MS), exporter.stop(GRACE_MS)]);
    },
  };
}
