import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { Resource } from "@opentelemetry/resources";
import type { Registry } from "prom-client";
import type { Config } from "../config/load.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { connectOtlp } from "../otlp/connect.ts";
import type { OtlpExporter } from "../otlp/exporter.ts";
import { createMeasurementSink } from "../otlp/measurement-sink.ts";
import { otlpResource } from "../otlp/resource.ts";
import { type OtlpSettings, otlpSettings } from "../otlp/settings.ts";
import { type StatePush, startStatePush } from "../otlp/state-push.ts";
import type { Store } from "../store/store.ts";
import { createStateFiles, type StateFiles } from "../sync/state-files.ts";
import type { SyncTarget } from "../sync/sync-engine.ts";
import { Watermarks } from "../sync/watermarks.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { PrometheusOtlpMetrics } from "../telemetry/prometheus-otlp-metrics.ts";
import type { CommandContext } from "./context.ts";

/** Values that may wait for one receiver, per server: some 50 MB. What is let go is read from the server again. */
const MOST_PENDING_POINTS = 500_000;
/** Values handed to the sink at a time; it divides them into requests under 4 MiB. */
const BATCH_POINTS = 10_000;
/** Pushed as measurements, with the time at which the server took them. */
const MEASURED: ReadonlySet<string> = new Set([TREE_FAMILIES.channelValue.name]);
const INSTANCE_FILE = "instance-id";

export type ChannelLabels = (sensorId: string, channelId: string) => readonly string[] | undefined;

/** The way to the OTLP receiver, with what is remembered of it. */
export interface OtlpPush {
  /** Where the measurements of one server go. */
  target(server: string, channelLabels: ChannelLabels, metrics: ExporterMetrics): SyncTarget;
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
  const { log, clock, redactor, build } = context;
  const { settings, warnings } = otlpSettings(env, config.otlp);
  for (const warning of warnings) log.warn(warning);
  if (settings === undefined) return undefined;
  const files = config.stateDir === undefined ? forgetfulFiles() : createStateFiles(config.stateDir);
  if (config.stateDir === undefined) {
    log.warn("state_dir is not set: after a restart only the live time series, the last four hours, are pushed again");
  }
  const exporter = await connectOtlp(settings, {
    userAgent: `prtg-exporter/${build.version}`,
    clock,
    readFile: (path) => readFile(path, "utf8"),
    redactor,
  });
  const watermarks = new Map<string, Watermarks>();
  for (const { name } of config.servers) watermarks.set(name, await openWatermarks(name, files, context));
  const resource = otlpResource(settings.resourceAttributes, {
    version: build.version,
    instanceId: await instanceId(files, context),
  });
  return createPush({ settings, exporter, resource, watermarks, config, context });
}

interface PushParts {
  readonly settings: OtlpSettings;
  readonly exporter: OtlpExporter;
  readonly resource: Resource;
  readonly watermarks: ReadonlyMap<string, Watermarks>;
  readonly config: Config;
  readonly context: CommandContext;
}

function createPush({ settings, exporter, resource, watermarks, config, context }: PushParts): OtlpPush {
  const { clock, log, build } = context;
  const scope = { name: "prtg-exporter", version: build.version };
  const countingSince = clock.now();
  log.info({ endpoint: settings.url, protocol: settings.protocol }, "pushing by OTLP");
  return {
    target(server, channelLabels, metrics) {
      const sink = createMeasurementSink({
        exporter,
        resource,
        scope,
        observer: new PrometheusOtlpMetrics(metrics),
        describe: (sensorId, channelId) => {
          const labels = channelLabels(sensorId, channelId);
          return labels && [{ family: TREE_FAMILIES.channelValue, labels }];
        },
      });
      const known = watermarks.get(server);
      if (known === undefined) throw new RangeError(`no watermarks were opened for ${server}`);
      return { sink, watermarks: known, maxPendingPoints: MOST_PENDING_POINTS, maxBatchPoints: BATCH_POINTS };
    },
    startState: (store, registry, metrics) =>
      startStatePush({
        exporter,
        resource,
        scope,
        store,
        registry,
        countingSince,
        measured: MEASURED,
        sensorStatus: config.metrics.sensorStatus,
        observer: new PrometheusOtlpMetrics(metrics),
        intervalMs: settings.intervalMs,
        timeoutMs: settings.exportTimeoutMs,
        clock,
        log,
      }),
    close: () => exporter.close(),
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

/** The same after a restart. Without a place to remember it the host's name has to do. */
async function instanceId(files: StateFiles, { log }: CommandContext): Promise<string> {
  try {
    const known = (await files.read(INSTANCE_FILE))?.trim();
    if (known !== undefined && known !== "") return known;
    const created = randomUUID();
    await files.write(INSTANCE_FILE, `${created}\n`);
    return (await files.read(INSTANCE_FILE))?.trim() ?? hostname();
  } catch (err) {
    log.warn({ err }, "the id of this instance cannot be kept in state_dir; using the host's name");
    return hostname();
  }
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
