import { isDeepStrictEqual } from "node:util";
import type { Schedules } from "../collectors/server-collectors.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { SyncEngineOptions } from "../sync/sync-engine.ts";
import { accessKeyOf } from "./connect-server.ts";
import type { OtlpPush } from "./otlp-push.ts";

/** Part of the server's request budget that time series may use: lists come first. */
const SHARE_OF_BUDGET = 0.5;
/** Period of a schedule by cron expression, for the budget. */
const CRON_PERIOD_MS = 60_000;

/** What a configuration says of the pipeline of one server. */
export interface PipelinePlan {
  readonly server: ServerConfig;
  readonly schedules: Schedules;
  /** Kinds of objects below which the server counts the sensors per status. */
  readonly countedKinds: ReadonlySet<Config["metrics"]["nodeSensors"][number]>;
  /** How time series are followed; undefined where they are neither read nor pushed. */
  readonly sync: Pick<SyncEngineOptions, "mode" | "limits"> | undefined;
  /** Undefined where nothing is pushed. */
  readonly push: OtlpPush | undefined;
  /** Undefined where nothing outlasts the process. */
  readonly stateDir: string | undefined;
}

export function planPipeline(server: ServerConfig, config: Config, push: OtlpPush | undefined): PipelinePlan {
  return {
    server,
    schedules: enabledSchedules(config),
    countedKinds: new Set(config.metrics.nodeSensors),
    sync: planSync(server, config, push !== undefined),
    push,
    stateDir: config.stateDir,
  };
}

/** Whether the same part of the server is monitored. */
export function isSameSelection(a: PipelinePlan, b: PipelinePlan): boolean {
  return isDeepStrictEqual(a.server.select, b.server.select);
}

/** Whether measurements go the same way, and what is remembered of them stays. */
export function isSameDelivery(a: PipelinePlan, b: PipelinePlan): boolean {
  const marks = ({ server, push }: PipelinePlan) => push?.options.watermarks.get(server.name);
  return a.push?.options.receiver === b.push?.options.receiver && marks(a) === marks(b);
}

/** Does not compare how the server is reached: the caller compares the digests of its configuration. */
export function isSameExceptConnection(a: PipelinePlan, b: PipelinePlan): boolean {
  const plain = (plan: PipelinePlan) => {
    const { schedules, countedKinds, sync } = plan;
    return { schedules, countedKinds, sync };
  };
  return isSameDelivery(a, b) && isSameSelection(a, b) && isDeepStrictEqual(plain(a), plain(b));
}

function enabledSchedules(config: Config): Schedules {
  const enabled = Object.entries(config.collectors).filter(([, collector]) => collector.enabled);
  return Object.fromEntries(enabled.map(([name, { schedule }]) => [name, schedule]));
}

/** How a configuration wants time series to be followed; undefined where they are neither read nor pushed. */
export function planSync(server: ServerConfig, config: Config, pushes: boolean): PipelinePlan["sync"] {
  const { enabled, mode, schedule } = config.collectors.timeseries;
  const reads = enabled && mode !== "off";
  if (!reads && !pushes) return undefined;
  const periodMs = schedule.kind === "interval" ? schedule.everyMs : CRON_PERIOD_MS;
  const requests = Math.floor((requestsPerSecond(server, config) * periodMs * SHARE_OF_BUDGET) / 1_000);
  return { mode: reads ? mode : "off", limits: { requests, periodMs } };
}

function requestsPerSecond(server: ServerConfig, config: Config): number {
  const sharing = sharingAccess(server, config.servers);
  return Math.min(...sharing.map(({ limits }) => limits.requestsPerSecond)) / sharing.length;
}

/** The entries of the configuration that share one budget with this one, itself included. */
function sharingAccess(server: ServerConfig, all: readonly ServerConfig[]): readonly ServerConfig[] {
  const others = all.filter((other) => other !== server && other.url === server.url);
  if (others.length === 0) return [server];
  const key = accessKeyOf(server);
  return [server, ...others.filter((other) => accessKeyOf(other) === key)];
}
