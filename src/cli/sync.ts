import {
  type CommandContext,
  type ConfigFlags,
  createContext,
  type LogFlags,
  loadFlaggedConfig,
  permitOf,
  readText,
} from "../app/context.ts";
import { type OpenSync, openSync, requireSection, syncMetrics } from "../app/sync.ts";
import type { Config } from "../config/load.ts";
import { refuseBadFiles } from "../config/server-files.ts";
import type { Redactor } from "../errors/redactor.ts";
import { Exposition } from "../exposition/exposition.ts";
import { createRoutes } from "../http/pages/routes.ts";
import { startWebServer, type WebServer } from "../http/server/connection-handler.ts";
import { Store } from "../store/store.ts";
import { changeTable } from "../sync/change-table.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import type { LeaderElectionFlags, WebFlags } from "./flags.ts";
import { openElection, standBy } from "./leader-election.ts";
import { interruption, reloadSignals, stopSignal } from "./signals.ts";
import { openWebConfig, webLimits, webObserver } from "./web-config.ts";

const NO_LIMITS = { maxSeries: undefined, maxBytes: undefined };

/** Time for answers of the web server at a stop signal. */
const GRACE_MS = 5_000;

export interface SyncFlags extends LogFlags, WebFlags, ConfigFlags, LeaderElectionFlags {
  readonly dryRun?: true;
}

/** Keeps acknowledgements of PRTG and silences of Alertmanager alike. Resolves with the exit code. */
export function sync(flags: SyncFlags, redactor: Redactor): Promise<number> {
  return flags.dryRun === true ? rehearse(flags, redactor) : run(flags, redactor);
}

/** `--dry-run`: one round without changes, while another process may run. */
async function rehearse(flags: SyncFlags, redactor: Redactor): Promise<number> {
  const interrupted = interruption();
  const context = await createContext(flags, redactor);
  const config = await load(flags, context);
  const { exporter, loop, unread, stop } = await openSync(config, context, syncMetrics(context).observer, false);
  try {
    const worked = await exporter.pollOnce(interrupted.signal);
    if (interrupted.exitCode !== undefined) return interrupted.exitCode;
    const { changes, complaints } = await loop.decide(interrupted.signal);
    const missing = unread();
    context.print(changeTable(changes, complaints, missing));
    return worked && missing.length === 0 ? 0 : 1;
  } finally {
    await stop();
  }
}

async function load(flags: SyncFlags, context: CommandContext): Promise<Config> {
  const { config, badServerFiles } = await loadFlaggedConfig(flags, context, process.env, readText, undefined, true);
  refuseBadFiles(badServerFiles);
  requireSection(config);
  return config;
}

async function run(flags: SyncFlags, redactor: Redactor): Promise<number> {
  const stopped = stopSignal();
  // Without a listener SIGHUP would end the process, and systemd does not restart it then.
  const reloads = reloadSignals();
  const commandContext = await createContext(flags, redactor);
  const election = await openElection(flags, commandContext, process.env);
  const leadership = election?.leadership;
  const outgoing = { ...commandContext.outgoing, permit: permitOf(leadership) };
  const context = { ...commandContext, leadership, outgoing };
  const { log } = context;
  const config = await load(flags, context);
  const { metrics, observer } = syncMetrics(context);
  metrics.collectProcessMetrics();
  const reportLeader = (isLeading: boolean) => {
    if (leadership !== undefined) metrics.leadership.leader({ lease: leadership.lease }, isLeading);
  };
  reportLeader(false);
  let opened: OpenSync | undefined;
  const web = await serveMetrics(flags, context, metrics, () => opened === undefined || opened.exporter.ready);
  reloads.follow(() => log.warn("SIGHUP: sync does not reload its configuration. Restart it to apply changes."));
  const ending = new AbortController();
  const begin = async () => {
    reportLeader(true);
    const ready = await openSync(config, context, observer);
    // A signal that arrived in the meantime has nothing to stop.
    if (ending.signal.aborted) return ready.stop();
    opened = ready;
    await opened.run(ending.signal);
  };
  const working = election === undefined ? begin() : standBy(election, log).then(begin);
  const failed = working.then(() => new Promise<never>(() => undefined));
  try {
    log.info(`stopping on ${await Promise.race([stopped, failed])}`);
  } finally {
    ending.abort();
    await web.close(GRACE_MS);
    await opened?.stop();
    await election?.elector.stop();
  }
  log.info("stopped");
  return 0;
}

async function serveMetrics(
  flags: SyncFlags,
  { clock, log, redactor }: CommandContext,
  metrics: ExporterMetrics,
  isReady: () => boolean,
): Promise<WebServer> {
  const telemetryPath = flags["web.telemetryPath"];
  const exposition = new Exposition({
    ...{ store: new Store([]), registry: metrics.registry, clock, limits: NO_LIMITS },
    observer: { rendered: () => undefined, dropped: () => undefined },
  });
  const web = await startWebServer({
    ...{ addresses: flags["web.listenAddress"], ...webLimits(flags), log, telemetryPath },
    webConfig: await openWebConfig(flags, { log, redactor }),
    observer: webObserver(() => metrics),
    routes: createRoutes({
      ...{ telemetryPath, exposition, isReady, hasServer: () => false },
      served: (format) => metrics.exposition.scraped({ format }),
      rejected: (reason) => metrics.web.rejected({ reason }),
    }),
    restricted: () => undefined,
    actions: new Map(),
  });
  for (const url of web.urls) log.info(`serving metrics on ${url}${telemetryPath}`);
  return web;
}
