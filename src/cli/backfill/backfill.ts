import { createHash } from "node:crypto";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { connectSelected } from "../../app/connect-server.ts";
import { type ClientContext, createContext, loadFlaggedConfig } from "../../app/context.ts";
import { mappingOf } from "../../app/mapping.ts";
import { connectReceiver, forMetrics, rowPlacement } from "../../app/otlp-receiver.ts";
import { backfill as bringHistory } from "../../backfill/backfill.ts";
import { parseTimeFlag, type TimeFlag } from "../../backfill/flag-values.ts";
import { type BackfillParameters, seriesSettings } from "../../backfill/parameters.ts";
import type { PushTarget } from "../../backfill/push-delivery.ts";
import type { Config } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { METRIC_ENCODINGS } from "../../otlp/encoding.ts";
import { createMeasurementSink } from "../../otlp/measurement-sink.ts";
import type { DeviceLookup } from "../../otlp/resources.ts";
import { type OtlpProfile, otlpSettings } from "../../otlp/settings.ts";
import { createStateFiles } from "../../state/state-files.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { otlpRecorder, serverRecorder } from "../../telemetry/recorders.ts";
import { interruption } from "../signals.ts";
import type { BackfillFlags } from "./flags.ts";
import { concludeFiles, concludePush, progressBar, progressLines } from "./output.ts";

/** Blocks must not overlap the head of Prometheus. */
const FILES_TO = "3h";
/** `serve` pushes the rest. */
const PUSH_TO = "4h";

/** Resolves with the exit code. @throws ExporterError */
export async function backfill(flags: BackfillFlags, redactor: Redactor): Promise<number> {
  const interrupted = interruption();
  const context = await createContext(flags, redactor);
  const { clock, log } = context;
  const { config } = await loadFlaggedConfig(flags, context);
  const server = chooseServer(config, flags.server);
  const push = flags.push === true ? await openHistoryPush(config, server.name, context, process.env) : undefined;
  const output = push?.folder ?? flags.output ?? "";
  if (push === undefined) warnAboutLabels(flags, log);
  const to = flags.to ?? parseTimeFlag(push === undefined ? FILES_TO : PUSH_TO);
  const metrics = serverRecorder(new ExporterMetrics(context.build, () => []), server.name);
  const api = connectSelected(server, metrics, log, context);
  try {
    const outcome = await bringHistory({
      api,
      server: server.name,
      from: flags.from,
      to,
      mapper: mappingOf(config).mapper,
      selection: { paths: flags.path, kinds: flags.kind, tags: flags.tag },
      extraLabels: flags.label,
      parameters: parametersOf(flags, server.name, to, config),
      output,
      push: push?.target,
      skipFailed: flags.skipFailed === true,
      // The budget's concurrency, plus one batch to write.
      concurrency: server.limits.concurrency + 1,
      freeBytes,
      clock,
      log,
      progress: process.stderr.isTTY ? progressBar(process.stderr, clock) : progressLines(log, clock),
      signal: interrupted.signal,
    });
    context.print(push === undefined ? concludeFiles(outcome, output) : concludePush(outcome, push.target.url));
    if (outcome.kind === "interrupted") return interrupted.exitCode ?? 1;
    return (outcome.run.push?.rejected ?? 0) > 0 ? 1 : 0;
  } finally {
    await Promise.all([api.close(), push?.close()]);
  }
}

/** Free space for this user. */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function warnAboutLabels({ label: labels }: BackfillFlags, log: Logger): void {
  const missing = ["job", "instance"].filter((name) => !labels.some((label) => label.name === name));
  if (missing.length === 0) return;
  const hint = missing.map((name) => `--label ${name}=...`).join(" ");
  log.warn(`without ${hint}, the history does not continue in the scraped series`);
}

function chooseServer({ servers }: Config, name: string | undefined): ServerConfig {
  const names = servers.map((server) => server.name).join(", ");
  const [first, second] = servers;
  if (name === undefined && first !== undefined && second === undefined) return first;
  const named = servers.find((server) => server.name === name);
  if (named !== undefined) return named;
  const text = name === undefined ? `there are several servers: ${names}` : `there is no server ${name}, only ${names}`;
  throw new ExporterError("BACKFILL_SERVER_UNKNOWN", text);
}

function parametersOf(flags: BackfillFlags, server: string, to: TimeFlag, config: Config): BackfillParameters {
  return {
    server,
    from: flags.from.text,
    to: to.text,
    resolution: flags.resolution,
    labels: flags.label.map(({ name, value }) => `${name}=${value}`),
    paths: flags.path,
    kinds: flags.kind,
    tags: flags.tag,
    configured: seriesSettings(config),
  };
}

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
