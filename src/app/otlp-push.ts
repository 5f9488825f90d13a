import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import type { ServerState } from "../model/server-state.ts";
import { createMeasurementSink, type SettledRows } from "../otlp/measurement-sink.ts";
import type { MetricsRequest } from "../otlp/metric-data.ts";
import { OtelPlacement } from "../otlp/otel-placement.ts";
import type { OtlpSettings } from "../otlp/settings.ts";
import type { PendingMeasurements } from "../otlp/staleness-markers.ts";
import { type StatePush, startStatePush } from "../otlp/state-push.ts";
import type { ServerView } from "../projection/server-view.ts";
import type { Store } from "../store/store.ts";
import type { MeasurementSink } from "../sync/measurement.ts";
import type { StateFiles } from "../sync/state-files.ts";
import { type WatermarkReport, Watermarks } from "../sync/watermarks.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { otlpRecorder } from "../telemetry/recorders.ts";
import type { CommandContext } from "./context.ts";
import { deviceLookup } from "./device-lookup.ts";
import { mappingOf } from "./mapping.ts";
import type { PreparedPush } from "./otlp-preparation.ts";
import type { OtlpReceiver } from "./otlp-receiver.ts";
import { rowPlacement } from "./row-placement.ts";

/** Where and how something is pushed. */
export type ReceiverAddress = Pick<OtlpSettings, "url" | "protocol">;

export interface OtlpPushOptions {
  readonly prepared: PreparedPush;
  /** That of the push before, where it stays. */
  readonly receiver: OtlpReceiver<MetricsRequest>;
  /** Up to when the receiver has the measurements of each server. */
  readonly watermarks: ReadonlyMap<string, Watermarks>;
  readonly settledRows: SettledRows;
}

/**
 * What is pushed where, under one configuration, with what is remembered of it. A reload makes another one, which has
 * the same receiver, and the same watermarks, where those are to stay.
 */
export class OtlpPush {
  readonly options: OtlpPushOptions;

  constructor(options: OtlpPushOptions) {
    this.options = options;
  }

  get address(): ReceiverAddress {
    const { url, protocol } = this.options.prepared.settings;
    return { url, protocol };
  }

  /** Where the measurements of a server go. */
  createSink(view: ServerView, metrics: ExporterMetrics): MeasurementSink {
    const { receiver, settledRows } = this.options;
    return createMeasurementSink({
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
      ...(this.tellsEnds && { sending: view.markMeasured.bind(view) }),
      settled: settledRows,
    });
  }

  /** Whether the receiver is told of series that have ended. */
  get tellsEnds(): boolean {
    return this.options.prepared.settings.seriesEnd;
  }

  /** Begins to push the current state. */
  startState(
    store: Store,
    underWay: PendingMeasurements,
    stateOf: (server: string) => ServerState | undefined,
    metrics: ExporterMetrics,
    { clock, log }: CommandContext,
  ): StatePush {
    const { receiver, prepared } = this.options;
    const { config, settings } = prepared;
    // Pushed with the time at which the server took them.
    const { families } = mappingOf(config).mapper;
    const measured = new Set([TREE_FAMILIES.channelValue, ...families].map(({ name }) => name));
    return startStatePush({
      ...receiver,
      store,
      registry: metrics.registry,
      countingSince: metrics.countingSince,
      measured,
      ends: this.tellsEnds ? underWay : undefined,
      placement: receiver.profile && new OtelPlacement(receiver.profile, deviceLookup(stateOf)),
      sensorStatus: config.metrics.sensorStatus,
      observer: otlpRecorder(metrics),
      intervalMs: settings.intervalMs,
      timeoutMs: settings.exportTimeoutMs,
      clock,
      log,
    });
  }

  /**
   * Gives back what was claimed, and closes the connections, unless the push that follows goes on with them. Call when
   * nothing is pushed or remembered by this one any more.
   */
  async end(next?: OtlpPush): Promise<void> {
    const { receiver, prepared } = this.options;
    if (receiver !== next?.options.receiver) await receiver.exporter.close();
    await prepared.claim.release();
  }
}

/**
 * Goes on from what was pushed before: by `before`, which is to be ended then, or by an earlier process. Never rejects.
 */
export async function beginOtlpPush(
  prepared: PreparedPush,
  before: OtlpPush | undefined,
  context: CommandContext,
): Promise<OtlpPush> {
  const { config, settings, files } = prepared;
  const past = before?.options;
  const isSameFolder = past?.prepared.config.stateDir === config.stateDir;
  const watermarks = new Map<string, Watermarks>();
  for (const { name } of config.servers) {
    const known = isSameFolder ? past?.watermarks.get(name) : undefined;
    watermarks.set(name, known ?? (await openWatermarks(name, files, context)));
  }
  const settledRows = past?.settledRows ?? new WeakMap();
  if (past !== undefined && isSameFolder && past.prepared.digest === prepared.digest) {
    await prepared.receiver.exporter.close();
    return new OtlpPush({ prepared, receiver: past.receiver, watermarks, settledRows });
  }
  context.log.info({ endpoint: settings.url, protocol: settings.protocol }, "pushing by OTLP");
  return new OtlpPush({ prepared, receiver: prepared.receiver, watermarks, settledRows });
}

async function openWatermarks(server: string, files: StateFiles, context: CommandContext): Promise<Watermarks> {
  const watermarks = await Watermarks.open(server, files);
  reportWatermarks(server, watermarks.report, context);
  return watermarks;
}

function reportWatermarks(server: string, report: WatermarkReport, { log }: CommandContext): void {
  const { found, file, sensors, message } = report;
  if (found === "good") log.info({ server, file, sensors }, "going on from what was pushed before");
  else if (found !== "new")
    log.warn({ server, file, found }, `starting from the live time series: ${message ?? found}`);
}
