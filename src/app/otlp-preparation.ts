import type { Config } from "../config/load.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { MetricsRequest } from "../otlp/metric-data.ts";
import { type OtlpSettings, otlpSettings } from "../otlp/settings.ts";
import { claimServers, type StateClaim } from "../sync/state-claims.ts";
import { checkedFiles, createStateFiles, inspectStateDirectory, type StateFiles } from "../sync/state-files.ts";
import type { CommandContext } from "./context.ts";
import type { OtlpReceiver } from "./otlp-receiver.ts";

/** Everything that it takes to push, read and found right; nothing is sent yet. */
export interface PreparedPush {
  readonly config: Config;
  readonly settings: OtlpSettings;
  readonly receiver: OtlpReceiver<MetricsRequest>;
  readonly files: StateFiles;
  /** To its servers in `state_dir`. */
  readonly claim: StateClaim;
  /** The same as long as the settings are, with the content of their files. */
  readonly digest: string;
}

/**
 * Reads all that the push takes, and checks it. What it resolves with is to be begun, or to be discarded; undefined where
 * nothing is to be pushed.
 * @param waitMs For another process that pushes one of the servers and remembers it in the same `state_dir`.
 * @throws ExporterError STATE_DIR_BUSY, and ExporterError for files and settings that cannot be used
 */
export async function prepareOtlpPush(
  config: Config,
  context: CommandContext,
  env: NodeJS.ProcessEnv,
  waitMs = 0,
): Promise<PreparedPush | undefined> {
  const { log } = context;
  await closeStateDirectory(config, context);
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
    // Loaded where something is pushed: most of what OpenTelemetry takes.
    const [{ connectReceiver, digestReceiver, forMetrics }, { METRIC_ENCODINGS }] = await Promise.all([
      import("./otlp-receiver.ts"),
      import("../otlp/encoding.ts"),
    ]);
    const connected = await connectReceiver(settings, METRIC_ENCODINGS, files, context, config);
    const receiver = forMetrics(connected, settings);
    return { config, settings, receiver, files, claim, digest: await digestReceiver(settings) };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** Closes what was prepared in vain. */
export async function discardPush({ receiver, claim }: PreparedPush): Promise<void> {
  await Promise.all([receiver.exporter.close(), claim.release()]);
}

/** For an exporter that is being replaced, and delivers what waits, to end. */
export const CLAIM_WAIT_MS = 30_000;
/** For the locks of one whose machine is gone: NFS keeps them for 90 seconds. */
export const DEAD_CLAIM_WAIT_MS = 120_000;

/** Closes the directory of the state to others, or says that it is open. */
async function closeStateDirectory({ stateDir }: Config, { log }: CommandContext): Promise<void> {
  const found = stateDir === undefined ? undefined : await inspectStateDirectory(stateDir, true);
  if (found?.kind === "open") log.warn(found.text);
  else if (found !== undefined) log.info(found.text);
}

/** @throws ExporterError STATE_DIR_BUSY */
export async function claimState(
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

/** Where there is no state_dir. */
export function forgetfulFiles(): StateFiles {
  return {
    read: async () => undefined,
    write: async () => undefined,
    rename: async () => undefined,
    syncDirectory: async () => undefined,
  };
}
