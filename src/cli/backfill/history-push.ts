import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ClientContext } from "../../app/context.ts";
import { connectReceiver, forMetrics, rowPlacement } from "../../app/otlp-receiver.ts";
import type { PushTarget } from "../../backfill/push-delivery.ts";
import type { Config } from "../../config/load.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { METRIC_ENCODINGS } from "../../otlp/encoding.ts";
import { createMeasurementSink } from "../../otlp/measurement-sink.ts";
import type { DeviceLookup } from "../../otlp/resources.ts";
import { type OtlpProfile, otlpSettings } from "../../otlp/settings.ts";
import { createStateFiles } from "../../state/state-files.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { otlpRecorder } from "../../telemetry/recorders.ts";

/** About 200 kB in protobuf and 400 kB in JSON, less than one request. */
const DELIVERY_POINTS = 500;

export interface HistoryPush {
  readonly target: PushTarget;
  /** State of pushes of this server to this receiver. */
  readonly folder: string;
  close(): Promise<void>;
}

/** Configured like `serve`. @throws ExporterError BACKFILL_NO_RECEIVER, BACKFILL_NO_STATE_DIR, and for invalid files and settings */
export async function openHistoryPush(
  config: Config,
  server: string,
  context: ClientContext,
  env: NodeJS.ProcessEnv,
): Promise<HistoryPush> {
  const { settings, warnings } = otlpSettings(env, config.otlp);
  for (const warning of warnings) context.log.warn(warning);
  if (settings === undefined) {
    throw new ExporterError("BACKFILL_NO_RECEIVER", "--push needs an OTLP receiver in the configuration");
  }
  if (config.stateDir === undefined) {
    throw new ExporterError("BACKFILL_NO_STATE_DIR", "--push needs state_dir in the configuration");
  }
  const files = createStateFiles(config.stateDir);
  const connected = await connectReceiver(settings, METRIC_ENCODINGS, files, context, config);
  const { url, profile } = settings;
  const receiver = forMetrics(connected, settings);
  // A backfill prints counts and has no metrics.
  const observer = otlpRecorder(new ExporterMetrics(context.build, () => []));
  const connect: PushTarget["connect"] = ({ describe, deviceOf }) => {
    // History contains no series of devices.
    const devices: DeviceLookup = { ofSensor: (_, sensorId) => deviceOf(sensorId), device: () => undefined };
    const placement = receiver.profile && rowPlacement(receiver.profile, server, devices);
    return createMeasurementSink({ ...receiver, observer, describe, placement });
  };
  return {
    target: { url, maxPoints: DELIVERY_POINTS, connect, random: context.random },
    folder: join(config.stateDir, "backfill", folderName(server, url, profile)),
    close: () => receiver.exporter.close(),
  };
}

/** Text and hash: server names may contain any character or differ only in case. */
function folderName(server: string, url: string, profile: OtlpProfile): string {
  const readable = server.replace(/[^\w-]+/g, "_").slice(0, 40);
  const hash = createHash("sha256")
    // Other names create other series.
    .update(JSON.stringify(profile === "prometheus" ? [server, url] : [server, url, profile]))
    .digest("hex")
    .slice(0, 8);
  return `${readable}-${hash}`;
}
