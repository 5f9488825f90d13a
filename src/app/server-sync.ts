import type { Logger } from "pino";
import type { SyncHooks } from "../collectors/server-monitor.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import { SyncEngine, type SyncEngineOptions } from "../sync/sync-engine.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { syncRecorder } from "../telemetry/recorders.ts";
import type { CommandContext } from "./context.ts";
import type { OtlpPush } from "./otlp-push.ts";

/** Part of the server's request budget that time series may use: lists come first. */
const SHARE_OF_BUDGET = 0.5;
/** Period of a schedule by cron expression, for the budget. */
const CRON_PERIOD_MS = 60_000;

export interface ServerSyncOptions {
  readonly server: string;
  readonly api: MonitoringApi;
  readonly metrics: ExporterMetrics;
  readonly log: Logger;
  readonly context: CommandContext;
}

/** What decides whether and how the time series of a server are followed. */
export interface SyncSettings {
  readonly server: ServerConfig;
  readonly config: Config;
  readonly push: OtlpPush | undefined;
}

/** Makes what follows one server's time series, and what takes its place when the configuration changes. */
export class ServerSync {
  readonly #options: ServerSyncOptions;
  #unfollow: () => void = () => undefined;

  constructor(options: ServerSyncOptions) {
    this.#options = options;
  }

  /** Undefined where time series are neither read nor pushed. */
  create(settings: SyncSettings, { onFreshest, seriesOf }: SyncHooks): SyncEngine | undefined {
    this.#unfollow();
    const { push } = settings;
    const how = howToRead(settings);
    if (how === undefined) return undefined;
    const { server, api, metrics, log, context } = this.#options;
    const { clock, random } = context;
    const observer = syncRecorder(metrics, server);
    const target = push?.target(server, seriesOf, metrics);
    const engine = new SyncEngine({ api, ...how, target, clock, random, log, observer, onFreshest });
    this.#unfollow = observer.followPending(
      () => engine.pending(),
      () => clock.now() + api.clockOffset(),
    );
    return engine;
  }

  /**
   * As `settings` want it, in place of `before`. Where both push, what waits goes over; where pushing ends, it is delivered
   * within `graceMs`.
   */
  async replace(
    before: SyncEngine | undefined,
    settings: SyncSettings,
    hooks: SyncHooks,
    graceMs: number,
  ): Promise<SyncEngine | undefined> {
    const how = howToRead(settings);
    if (before?.pushes === true && settings.push !== undefined && how !== undefined) return before.followedBy(how);
    await before?.flush(graceMs);
    return this.create(settings, hooks);
  }

  /** The server is read no more. */
  end(): void {
    this.#unfollow();
  }
}

/** The settings of the engine; undefined where none is needed. */
export function howToRead({
  server,
  config,
  push,
}: SyncSettings): Pick<SyncEngineOptions, "mode" | "limits"> | undefined {
  const { enabled, mode, schedule } = config.collectors.timeseries;
  const reads = enabled && mode !== "off";
  if (!reads && push === undefined) return undefined;
  const periodMs = schedule.kind === "interval" ? schedule.everyMs : CRON_PERIOD_MS;
  const requests = Math.floor((server.limits.requestsPerSecond * periodMs * SHARE_OF_BUDGET) / 1_000);
  return { mode: reads ? mode : "off", limits: { requests, periodMs } };
}
