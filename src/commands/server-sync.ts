import type { Logger } from "pino";
import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { SyncHooks } from "../collectors/server-monitor.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import { SyncEngine } from "../sync/sync-engine.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { PrometheusSyncMetrics } from "../telemetry/prometheus-sync-metrics.ts";
import type { CommandContext } from "./context.ts";
import type { OtlpPush } from "./otlp-push.ts";

/** Part of the server's request budget that time series may use: lists come first. */
const SHARE_OF_BUDGET = 0.5;
/** Period of a schedule by cron expression, for the budget. */
const CRON_PERIOD_MS = 60_000;

export interface ServerSyncOptions {
  readonly server: ServerConfig;
  readonly config: Config;
  readonly api: MonitoringApi;
  readonly push: OtlpPush | undefined;
  readonly metrics: ExporterMetrics;
  readonly log: Logger;
  readonly context: CommandContext;
}

/** Makes what follows one server's time series; undefined where they are neither read nor pushed. */
export function serverSync(options: ServerSyncOptions): ((hooks: SyncHooks) => SyncEngine) | undefined {
  const { server, config, api, push, metrics, log, context } = options;
  const { enabled, mode, schedule } = config.collectors.timeseries;
  const reads = enabled && mode !== "off";
  if (!reads && push === undefined) return undefined;
  const periodMs = schedule.kind === "interval" ? schedule.everyMs : CRON_PERIOD_MS;
  const requests = Math.floor((server.limits.requestsPerSecond * periodMs * SHARE_OF_BUDGET) / 1_000);
  return ({ onFreshest, seriesOf }) => {
    const observer = new PrometheusSyncMetrics(metrics, server.name);
    const engine = new SyncEngine({
      api,
      mode: reads ? mode : "off",
      target: push?.target(server.name, seriesOf, metrics),
      limits: { requests, periodMs },
      clock: context.clock,
      random: context.random,
      log,
      observer,
      onFreshest,
    });
    observer.followPending(() => engine.pending(), context.clock);
    return engine;
  };
}
