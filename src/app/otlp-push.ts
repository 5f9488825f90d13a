import type { Registry } from "prom-client";
import type { SyncHooks } from "../collectors/server-monitor.ts";
import type { Config } from "../config/load.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { createMeasurementSink } from "../otlp/measurement-sink.ts";
import { type OtlpSettings, otlpSettings } from "../otlp/settings.ts";
import { type StatePush, startStatePush } from "../otlp/state-push.ts";
import type { Store } from "../store/store.ts";
import { claimServers, type StateClaim } from "../sync/state-claims.ts";
import { checkedFiles, createStateFiles, type StateFiles } from "../sync/state-files.ts";
import type { SyncTarget } from "../sync/sync-engine.ts";
import { type WatermarkReport, Watermarks } from "../sync/watermarks.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { otlpRecorder } from "../telemetry/recorders.ts";
import type { CommandContext } from "./context.ts";
import { digest, pushFiles, readQuietly } from "./fingerprint.ts";
import { mappingOf } from "./mapping.ts";
import { ChangingReceiver, connectReceiver, type OtlpReceiver } from "./otlp-receiver.ts";

/** Values that may wait for one receiver, per server: some 50 MB. What is dropped is read from the server again. */
const MAX_PENDING_POINTS = 500_000;
/** For an exporter that is being replaced, and delivers what waits, to end. */
const CLAIM_WAIT_MS = 30_000;
/** Values handed to the sink at a time; it divides them into requests under 4 MiB. */
const BATCH_POINTS = 10_000;

export type DescribeChannel = SyncHooks["seriesOf"];

/** Where and how something is pushed. */
export type ReceiverAddress = Pick<OtlpSettings, "url" | "protocol">;

/** The way to the OTLP receiver, with what is remembered of it. */
export interface OtlpPush {
  readonly address: ReceiverAddress;
  /** Where the measurements of one server go. */
  target(server: string, describe: DescribeChannel, metrics: ExporterMetrics): SyncTarget;
  /** Begins to push the current state. */
  startState(store: Store, registry: Registry, metrics: ExporterMetrics): StatePush;
  /** Goes on as another configuration wants it, with what is remembered. Resolves with whether anything changed; never rejects. */
  change(prepared: PreparedPush): Promise<boolean>;
  /** Gives back the claim to what was remembered before the last changes. Call when nothing writes there any more. */
  releaseFormer(): Promise<void>;
  /** Closes the connections, and gives back what was claimed. */
  close(): Promise<void>;
}

/** Everything that it takes to push, read and found right; nothing is sent yet. */
export interface PreparedPush {
  readonly config: Config;
  readonly settings: OtlpSettings;
  readonly receiver: OtlpReceiver;
  readonly files: StateFiles;
  /** To its servers in `state_dir`. */
  readonly claim: StateClaim;
  /** The same as long as the settings are, with the content of their files. */
  readonly print: string;
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
  const prepared = await prepareOtlpPush(config, context, env, CLAIM_WAIT_MS);
  return prepared && beginOtlpPush(prepared, context);
}

/** Makes the push ready, and goes on from what was pushed before. Never rejects. */
export async function beginOtlpPush(prepared: PreparedPush, context: CommandContext): Promise<OtlpPush> {
  const watermarks = new Map<string, Watermarks>();
  for (const { name } of prepared.config.servers) {
    watermarks.set(name, await openWatermarks(name, prepared.files, context));
  }
  return createPush(prepared, watermarks, context);
}

/**
 * Reads all that the push takes, and checks it. What it resolves with is to be begun, to be changed to, or to be discarded.
 * `waitMs`: for another process that pushes one of the servers and remembers it in the same `state_dir`.
 * @throws ExporterError STATE_DIR_BUSY, and ExporterError for files and settings that cannot be used
 */
export async function prepareOtlpPush(
  config: Config,
  context: CommandContext,
  env: NodeJS.ProcessEnv,
  waitMs = 0,
): Promise<PreparedPush | undefined> {
  const { log } = context;
  const { settings, warnings } = otlpSettings(env, config.otlp);
  for (const warning of warnings) log.warn(warning);
  if (settings === undefined) return undefined;
  if (config.stateDir === undefined) {
    log.warn("state_dir is not set: after a restart only the live time series, the last four hours, are pushed again");
  }
  const claim = await claimState(config, context, waitMs);
  const files =
    config.stateDir === undefined ? forgetfulFiles() : checkedFiles(createStateFiles(config.stateDir), claim.keep);
  try {
    const receiver = await connectReceiver(settings, files, context, config);
    return { config, settings, receiver, files, claim, print: await printPush(settings) };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** Closes what was prepared in vain. */
export async function discardPush({ receiver, claim }: PreparedPush): Promise<void> {
  await Promise.all([receiver.exporter.close(), claim.release()]);
}

/** @throws ExporterError STATE_DIR_BUSY */
async function claimState(
  { stateDir, servers }: Config,
  { clock, log }: CommandContext,
  waitMs: number,
): Promise<StateClaim> {
  const nothing: StateClaim = { keep: () => Promise.resolve(), release: () => Promise.resolve() };
  if (stateDir === undefined) return nothing;
  const onWait = (holder: string) => log.warn(`waiting for state_dir ${stateDir}: ${holder}`);
  try {
    const names = servers.map(({ name }) => name);
    return await claimServers({ directory: stateDir, servers: names, clock, waitMs, onWait });
  } catch (err) {
    if (err instanceof ExporterError) throw err;
    log.warn({ err }, "state_dir cannot be locked: nothing keeps a second exporter from pushing the same from there");
    return nothing;
  }
}

async function printPush(settings: OtlpSettings): Promise<string> {
  const headers = Object.entries(settings.headers).map(([name, value]) => [name, value.reveal()]);
  const { tls, headerFiles } = settings;
  const files = await Promise.all(pushFiles({ headerFiles, tls }).map(readQuietly));
  return digest([settings, headers, files]);
}

function createPush(begun: PreparedPush, watermarks: Map<string, Watermarks>, context: CommandContext): OtlpPush {
  const { clock, log } = context;
  const receiver = new ChangingReceiver(begun.receiver);
  const closing = new Set<Promise<void>>();
  const former: StateClaim[] = [];
  let prepared = begun;
  const tell = () =>
    log.info({ endpoint: prepared.settings.url, protocol: prepared.settings.protocol }, "pushing by OTLP");
  tell();

  /** Where the measurements of the servers are to be remembered from now on. */
  const changeServers = async ({ config, files }: PreparedPush): Promise<void> => {
    const moves = config.stateDir !== prepared.config.stateDir;
    for (const name of watermarks.keys()) {
      if (!config.servers.some((server) => server.name === name)) watermarks.delete(name);
    }
    for (const { name } of config.servers) {
      const known = watermarks.get(name);
      if (known === undefined) watermarks.set(name, await openWatermarks(name, files, context));
      else if (moves) reportWatermarks(name, await known.moveTo(files), context);
    }
  };

  return {
    get address() {
      return { url: prepared.settings.url, protocol: prepared.settings.protocol };
    },
    target(server, describe, metrics) {
      const sink = createMeasurementSink({
        exporter: receiver.exporter,
        get resource() {
          return receiver.resource;
        },
        get scope() {
          return receiver.scope;
        },
        observer: otlpRecorder(metrics),
        describe,
      });
      const known = watermarks.get(server);
      if (known === undefined) throw new RangeError(`no watermarks were opened for ${server}`);
      return { sink, watermarks: known, maxPendingPoints: MAX_PENDING_POINTS, maxBatchPoints: BATCH_POINTS };
    },
    startState(store, registry, metrics) {
      const { config, settings } = prepared;
      // Pushed with the time at which the server took them.
      const { families } = mappingOf(config).mapper;
      const measured = new Set([TREE_FAMILIES.channelValue, ...families].map(({ name }) => name));
      // Not the one of some later time: the last push is to the receiver of the first, which must be open until then.
      const held = receiver.hold();
      const pushing = startStatePush({
        ...held.receiver,
        store,
        registry,
        countingSince: metrics.countingSince,
        measured,
        sensorStatus: config.metrics.sensorStatus,
        observer: otlpRecorder(metrics),
        intervalMs: settings.intervalMs,
        timeoutMs: settings.exportTimeoutMs,
        clock,
        log,
      });
      return {
        flush: () => pushing.flush(),
        stop: (graceMs) => pushing.stop(graceMs).finally(held.release),
      };
    },
    async change(next) {
      await changeServers(next);
      const isSame = next.print === prepared.print && next.config.stateDir === prepared.config.stateDir;
      former.push(prepared.claim);
      prepared = next;
      if (isSame) {
        await next.receiver.exporter.close();
        return false;
      }
      const closed = receiver.changeTo(next.receiver).finally(() => closing.delete(closed));
      closing.add(closed);
      tell();
      return true;
    },
    releaseFormer: async () => {
      await Promise.all(former.splice(0).map((claim) => claim.release()));
    },
    close: async () => {
      await Promise.all([receiver.exporter.close(), ...closing]);
      await Promise.all([prepared.claim, ...former].map((claim) => claim.release()));
    },
  };
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

/** Where there is no state_dir. */
function forgetfulFiles(): StateFiles {
  return {
    read: async () => undefined,
    write: async () => undefined,
    rename: async () => undefined,
    syncDirectory: async () => undefined,
  };
}
