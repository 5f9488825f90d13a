import type { Config } from "../config/load.ts";
import { negotiateFormat } from "../exposition/negotiate.ts";
import { createRoutes } from "../http/routes.ts";
import { startWebServer, type WebServer } from "../http/web-server.ts";
import { type CommandContext, createContext, loadFlaggedConfig } from "./context.ts";
import { Exporter } from "./exporter.ts";
import type { ConfigFlags, LogFlags, WebFlags } from "./flags.ts";
import { untilStopSignal } from "./signals.ts";

/** Responses under way when a stop signal comes may take this long to end. */
const GRACE_MS = 5_000;

export interface ServeFlags extends LogFlags, WebFlags, ConfigFlags {
  readonly "config.check"?: boolean;
  readonly once?: boolean;
}

/**
 * The daemon. Resolves with the exit code.
 * @throws ExporterError for what only the user can mend: configuration, listen address
 */
export async function serve(flags: ServeFlags): Promise<number> {
  const context = createContext(flags);
  const { config, source, ignoredVariables } = await loadFlaggedConfig(flags, context);
  if (ignoredVariables.length > 0) {
    context.log.warn({ variables: ignoredVariables }, "environment variables are not used: the file has servers");
  }
  if (flags["config.check"] === true) {
    context.print(`${source}: the configuration is valid`);
    return 0;
  }
  if (flags.once === true) return printOnce(config, context);
  const stopped = untilStopSignal();
  const running = await startServing(config, flags, context);
  context.log.info(`stopping on ${await stopped}`);
  await running.stop();
  context.log.info("stopped");
  return 0;
}

export interface Serving {
  readonly exporter: Exporter;
  readonly web: WebServer;
  /** Resolves when the first attempt on every server has finished, either way. */
  readonly firstPoll: Promise<void>;
  stop(): Promise<void>;
}

/** Listens first, so that a taken port is noticed before any server is asked anything. */
export async function startServing(config: Config, flags: WebFlags, context: CommandContext): Promise<Serving> {
  const exporter = new Exporter(config, context);
  const web = await startWebServer({
    addresses: flags["web.listenAddress"],
    log: context.log,
    routes: createRoutes({
      telemetryPath: flags["web.telemetryPath"],
      exposition: exporter.exposition,
      served: (format) => exporter.metrics.scrapes.inc({ format }),
      isReady: () => exporter.ready,
      version: context.build.version,
      servers: config.servers.map(({ name }) => name),
    }),
  });
  for (const url of web.urls) context.log.info(`serving metrics on ${url}${flags["web.telemetryPath"]}`);
  return {
    exporter,
    web,
    firstPoll: exporter.start(),
    stop: async () => {
      await Promise.all([web.close(GRACE_MS), exporter.stop()]);
    },
  };
}

/** One poll, the page on standard output; exit code 1 when a part of the poll failed. */
async function printOnce(config: Config, context: CommandContext): Promise<number> {
  const exporter = new Exporter(config, context);
  const abort = new AbortController();
  void untilStopSignal().then(() => abort.abort(new Error("stopped")));
  try {
    const worked = await exporter.pollOnce(abort.signal);
    for (const buffer of await exporter.exposition.page(negotiateFormat({}), "identity")) {
      if (!process.stdout.write(buffer)) await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
    return worked ? 0 : 1;
  } finally {
    await exporter.stop();
  }
}
