import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import type { Runtime } from "../lib/runtime.ts";
import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import type { MeasurementSink } from "../measurements/measurement.ts";
import { Watermarks } from "../measurements/watermarks.ts";
import type { ServerState } from "../model/server-state.ts";
import { OtlpMeasurementSink } from "../otlp/measurement-sink.ts";
import type { MetricsRequest } from "../otlp/metric-data.ts";
import { OtelPlacement } from "../otlp/otel-placement.ts";
import type { OtlpSettings } from "../otlp/settings.ts";
import type { PendingMeasurements } from "../otlp/state-producer.ts";
import { type StatePush, startStatePush } from "../otlp/state-push.ts";
import type { ServerView } from "../projection/server-view.ts";
import type { StateClaim } from "../state/state-claims.ts";
import type { StateFiles } from "../state/state-files.ts";
import type { Store } from "../store/store.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { otlpRecorder } from "../telemetry/recorders.ts";
import { deviceLookup } from "./device-lookup.ts";
import { type OtlpReceiver, type ReceiverAddress, rowPlacement } from "./otlp-receiver.ts";

/** Everything that a push needs, read and checked; nothing is sent yet. */
export interface PreparedPush {
  readonly config: Config;
  readonly settings: OtlpSettings;
  readonly receiver: OtlpReceiver<MetricsRequest>;
  readonly files: StateFiles;
  /** Claim to its servers in `state_dir`. */
  readonly claim: StateClaim;
  /** Digest of the settings and the content of their files. */
  readonly digest: string;
}

export interface OtlpPushOptions {
  readonly prepared: PreparedPush;
  /** The receiver of the push before, if it stays. */
  readonly receiver: OtlpReceiver<MetricsRequest>;
  readonly watermarks: ReadonlyMap<string, Watermarks>;
}

/** The state that a push sends. */
export interface PushedState extends Pick<Runtime, "clock" | "log"> {
  readonly store: Store;
  readonly metrics: ExporterMetrics;
  readonly mapper: Pick<ChannelMapper, "families">;
  readonly underWay: PendingMeasurements;
  readonly stateOf: (server: string) => ServerState | undefined;
}

/** The push of one configuration. A reload creates another one with the same receiver and watermarks, if these stay. */
export class OtlpPush {
  readonly options: OtlpPushOptions;

  constructor(options: OtlpPushOptions) {
    this.options = options;
  }

  get address(): ReceiverAddress {
    const { url, protocol } = this.options.prepared.settings;
    return { url, protocol };
  }

  createSink(view: ServerView, metrics: ExporterMetrics): MeasurementSink {
    const { receiver } = this.options;
    return new OtlpMeasurementSink({
      ...receiver,
      observer: otlpRecorder(metrics),
      describe: view.seriesOf.bind(view),
      placement:
        receiver.profile &&
        rowPlacement(
          receiver.profile,
          view.server,
          deviceLookup(() => view.state),
        ),
      ...(this.sendsEnds && { sending: view.markMeasured.bind(view) }),
    });
  }

  /** The receiver gets staleness markers. */
  get sendsEnds(): boolean {
    return this.options.prepared.settings.seriesEnd;
  }

  startState({ store, metrics, mapper, underWay, stateOf, clock, log }: PushedState): StatePush {
    const { receiver, prepared } = this.options;
    const { config, settings } = prepared;
    // With the time of the measurement.
    const measured = new Set([TREE_FAMILIES.channelValue, ...mapper.families].map(({ name }) => name));
    return startStatePush({
      ...receiver,
      store,
      registry: metrics.registry,
      countingSince: metrics.countingSince,
      measured,
      ends: this.sendsEnds ? underWay : undefined,
      placement: receiver.profile && new OtelPlacement(receiver.profile, deviceLookup(stateOf)),
      sensorStatus: config.metrics.sensorStatus,
      observer: otlpRecorder(metrics),
      intervalMs: settings.intervalMs,
      timeoutMs: settings.exportTimeoutMs,
      clock,
      log,
    });
  }

  /** Releases the claim, and closes connections that `next` does not use. Call after the last push. */
  async end(next?: OtlpPush): Promise<void> {
    const { receiver, prepared } = this.options;
    if (receiver !== next?.options.receiver) await receiver.exporter.close();
    await prepared.claim.release();
  }
}

/** Continues after the measurements of `before`, which the caller ends, or of an earlier process. Never rejects. */
export async function beginOtlpPush(
  prepared: PreparedPush,
  before: OtlpPush | undefined,
  log: Logger,
): Promise<OtlpPush> {
  const { config, settings, files } = prepared;
  const past = before?.options;
  const isSameFolder = past?.prepared.config.stateDir === config.stateDir;
  const watermarks = new Map<string, Watermarks>();
  for (const { name } of config.servers) {
    const known = isSameFolder ? past?.watermarks.get(name) : undefined;
    watermarks.set(name, known ?? (await openWatermarks(name, files, log)));
  }
  if (past !== undefined && isSameFolder && past.prepared.digest === prepared.digest) {
    await prepared.receiver.exporter.close();
    return new OtlpPush({ prepared, receiver: past.receiver, watermarks });
  }
  log.info({ endpoint: settings.url, protocol: settings.protocol }, "pushing by OTLP");
  return new OtlpPush({ prepared, receiver: prepared.receiver, watermarks });
}

async function openWatermarks(server: string, files: StateFiles, log: Logger): Promise<Watermarks> {
  const watermarks = await Watermarks.open(server, files);
  const { found, file, message } = watermarks.report;
  const sensors = watermarks.size;
  if (found === "good") log.info({ server, file, sensors }, "resuming the push after the last delivered measurements");
  else if (found !== "new")
    log.warn({ server, file, found }, `starting the push with the live time series: ${message ?? found}`);
  return watermarks;
}
