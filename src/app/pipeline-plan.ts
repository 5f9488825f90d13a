import { isDeepStrictEqual } from "node:util";
import type { Schedules } from "../collectors/timetable.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { MeasurementEngineOptions } from "../measurements/measurement-engine.ts";
import type { WantedSections } from "../prtg/node-record.ts";
import { accessKeyOf } from "./connect-server.ts";
import { wantedSections } from "./mapping.ts";
import type { OtlpPush } from "./otlp-push.ts";

/** Share of the request budget for time series: lists come first. */
const SHARE_OF_BUDGET = 0.5;
/** Period of a schedule by cron expression, for the budget. */
const CRON_PERIOD_MS = 60_000;

/** The configuration of one pipeline. */
export interface PipelinePlan {
  readonly server: ServerConfig;
  readonly schedules: Schedules;
  readonly sections: WantedSections;
  /** `undefined` if time series are neither read nor pushed. */
  readonly measurements: Pick<MeasurementEngineOptions, "mode" | "limits"> | undefined;
  /** `undefined` if push is disabled. */
  readonly push: OtlpPush | undefined;
  readonly stateDir: string | undefined;
}

export function planPipeline(server: ServerConfig, config: Config, push: OtlpPush | undefined): PipelinePlan {
  return {
    server,
    schedules: enabledSchedules(config),
    sections: wantedSections(config.metrics),
    measurements: planMeasurements(server, config, push !== undefined),
    push,
    stateDir: config.stateDir,
  };
}

export function isSameSelection(a: PipelinePlan, b: PipelinePlan): boolean {
  return isDeepStrictEqual(a.server.select, b.server.select);
}

/** Same receiver and same watermarks. */
export function isSameDelivery(a: PipelinePlan, b: PipelinePlan): boolean {
  const marks = ({ server, push }: PipelinePlan) => push?.options.watermarks.get(server.name);
  return a.push?.options.receiver === b.push?.options.receiver && marks(a) === marks(b);
}

/** Same plans, whatever the connection: for that, the caller compares digests. */
export function isSameExceptConnection(a: PipelinePlan, b: PipelinePlan): boolean {
  const plain = (plan: PipelinePlan) => {
    const { schedules, sections, measurements } = plan;
    return { schedules, sections, measurements };
  };
  return isSameDelivery(a, b) && isSameSelection(a, b) && isDeepStrictEqual(plain(a), plain(b));
}

function enabledSchedules(config: Config): Schedules {
  const enabled = Object.entries(config.collectors).filter(([, collector]) => collector.enabled);
  return Object.fromEntries(enabled.map(([name, { schedule }]) => [name, schedule]));
}

export function planMeasurements(server: ServerConfig, config: Config, pushes: boolean): PipelinePlan["measurements"] {
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

/** Entries of the configuration with the same request budget, this one included. */
function sharingAccess(server: ServerConfig, all: readonly ServerConfig[]): readonly ServerConfig[] {
  const others = all.filter((other) => other !== server && other.url === server.url);
  if (others.length === 0) return [server];
  const key = accessKeyOf(server);
  return [server, ...others.filter((other) => accessKeyOf(other) === key)];
}
