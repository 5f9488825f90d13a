import type { Registry } from "prom-client";
import type { SyncHooks } from "../collectors/server-monitor.ts";
import type { Config } from "../config/load.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { createMeasurementSink } from "../otlp/measurement-sink.ts";
import { type OtlpSettings, otlpSettings } from "../otlp/settings.ts";
import { type StatePush, startStatePush } from "../otlp/state-push.ts";
import type { Store } from "../store/store.ts";
import { createStateFiles, type StateFiles } from "../sync/state-files.ts";
import type { SyncTarget } from "../sync/sync-engine.ts";
import { Watermarks } from "../sync/watermarks.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { PrometheusOtlpMetrics } from "../telemetry/prometheus-otlp-metrics.ts";
import type { CommandContext } from "./context.ts";
import { mappingOf } from "./mapping.ts";
import { connectReceiver, type OtlpReceiver } from "./otlp-receiver.ts";

/** Values that may wait for one receiver, per server: some 50 MB. What is let go is read from the server again. */
const MOST_PENDING_POINTS = 500_000;
/** Values handed to the sink at a time; it divides them into requests under 4 MiB. */
const BATCH_POINTS = 10_000;

export type DescribeChannel = SyncHooks["seriesOf"];

/** The way to the OTLP receiver, with what is remembered of it. */
export interface OtlpPush {
  /** Where the measurements of one server go. */
  target(server: string, describe: DescribeChannel, metrics: ExporterMetrics): SyncTarget;
  /** Begins to push the current state. */
  startState(store: Store, registry: Registry, metrics: ExporterMetrics): StatePush;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * Opens the push that the configuration or the standard variables ask for; undefined when neither names a receiver.
 * @throws ExporterError for files and settings that cannot be used
 */
export async function openOtlpPush(
  config: Config,
  context: CommandContext,
  env: NodeJS.ProcessEnv,
): Promise<OtlpPush | undefined> {
  const { log } = context;
  const { settings, warnings } = otlpSettings(env, config.otlp);
  for (const warning of warnings) log.warn(warning);
  if (settings === undefined) return undefined;
  const files = config.stateDir === undefined ? forgetfulFiles() : createStateFiles(config.stateDir);
  if (config.stateDir === undefined) {
    log.warn("state_dir is not set: after a restart only the live time series, the last four hours, are pushed again");
  }
  const receiver = await connectReceiver(settings, files, context);
  const watermarks = new Map<string, Watermarks>();
  for (const { name } of config.servers) watermarks.set(name, await openWatermarks(name, files, context));
  return createPush({ settings, receiver, watermarks, config, context });
}

interface PushParts {
  readonly settings: OtlpSettings;
  readonly receiver: OtlpReceiver;
  readonly watermarks: ReadonlyMap<string, Watermarks>;
  readonly config: Config;
  readonly context: CommandContext;
}

function createPush({ settings, receiver, watermarks, config, context }: PushParts): OtlpPush {
  const { clock, log } = context;
  const countingSince = clock.now();
  // Pushed with the time at which the server took them.
  const measured = new Set([TREE_FAMILIES.channelValue, ...mappingOf(config).mapper.families].map(({ name }) => name));
  log.info({ endpoint: settings.url, protocol: settings.protocol }, "pushing by OTLP");
  return {
    target(server, describe, metrics) {
      const sink = createMeasurementSink({
        ...receiver,
        observer: new PrometheusOtlpMetrics(metrics),
        describe,
      });
      const known = watermarks.get(server);
      if (known === undefined) throw new RangeError(`no watermarks were opened for ${server}`);
      return { sink, watermarks: known, maxPendingPoints: MOST_PENDING_POINTS, maxBatchPoints: BATCH_POINTS };
    },
    startState: (store, registry, metrics) =>
      startStatePush({
        ...receiver,
        store,
        registry,
        countingSince,
        measured,
        sensorStatus: config.metrics.sensorStatus,
        observer: new PrometheusOtlpMetrics(metrics),
        intervalMs: settings.intervalMs,
        timeoutMs: settings.exportTimeoutMs,
        clock,
        log,
      }),
    close: () => receiver.exporter.close(),
  };
}

async function openWatermarks(server: string, files: StateFiles, { log }: CommandContext): Promise<Watermarks> {
  const watermarks = await Watermarks.open(server, files);
  const { found, file, sensors, message } = watermarks.report;
  if (found === "good") log.info({ server, file, sensors }, "going on from what was pushed before");
  else if (found !== "new")
    log.warn({ server, file, found }, `starting from the live time series: ${message ?? found}`);
  return watermarks;
}

/** Where there is no state_dir. */
function forgetfulFiles(): StateFiles {
  return {
    read: async () => undefined,
    write: async () => undefined,
    rename: async () => undefined,
    syncDirectory: async () => undefined,
  };
}
