import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import { errorCode } from "../lib/error-code.ts";
import type { Runtime } from "../lib/runtime.ts";
import { otlpSettings } from "../otlp/settings.ts";
import { claimServers, type StateClaim } from "../state/state-claims.ts";
import {
  checkedFiles,
  createStateFiles,
  inspectStateDirectory,
  type JournalFiles,
  type StateFiles,
} from "../state/state-files.ts";
import type { ClientContext, ExporterContext } from "./context.ts";
import type { OtlpPush, PreparedPush } from "./otlp-push.ts";
import { refuseNewerWatermarks } from "./state-versions.ts";

/**
 * Opens the push at the start; `undefined` if neither the configuration nor a standard variable names a receiver.
 * @throws ExporterError for unusable files and settings
 */
export async function openOtlpPush(
  config: Config,
  context: ClientContext,
  env: NodeJS.ProcessEnv,
): Promise<OtlpPush | undefined> {
  const prepared = await prepareOtlpPush(config, context, env, CLAIM_WAIT_MS);
  return prepared && beginPush(prepared, undefined, context.log);
}

/** `beginOtlpPush`, loaded with OpenTelemetry only if something is pushed. */
export async function beginPush(prepared: PreparedPush, before: OtlpPush | undefined, log: Logger): Promise<OtlpPush> {
  const { beginOtlpPush } = await import("./otlp-push.ts");
  return beginOtlpPush(prepared, before, log);
}

/**
 * Reads and checks everything that the push needs. The caller begins or discards the result; `undefined` if nothing is pushed.
 * @param waitMs For another process that holds a server in the same `state_dir`.
 * @throws ExporterError STATE_DIR_BUSY, STATE_FILE_NEWER, and for unusable files and settings
 */
export async function prepareOtlpPush(
  config: Config,
  context: ClientContext,
  env: NodeJS.ProcessEnv,
  waitMs = 0,
): Promise<PreparedPush | undefined> {
  const { log } = context;
  await closeStateDirectory(config, log);
  const { settings, warnings } = otlpSettings(env, config.otlp);
  for (const warning of warnings) log.warn(warning);
  if (settings === undefined) return undefined;
  if (config.stateDir === undefined) {
    log.warn("state_dir is not set: after a restart, the exporter pushes the last four hours again, and nothing older");
  }
  return withClaim(config, context, waitMs, async (claim, kept) => {
    const files = kept ?? forgetfulFiles();
    await refuseNewerWatermarks(config);
    // Most of OpenTelemetry: loaded only if something is pushed.
    const [{ connectReceiver, digestReceiver, forMetrics }, { METRIC_ENCODINGS }] = await Promise.all([
      import("./otlp-receiver.ts"),
      import("../otlp/encoding.ts"),
    ]);
    const connected = await connectReceiver(settings, METRIC_ENCODINGS, files, context, config);
    const receiver = forMetrics(connected, settings);
    return { config, settings, receiver, files, claim, digest: await digestReceiver(settings) };
  });
}

export async function discardPush({ receiver, claim }: PreparedPush): Promise<void> {
  await Promise.all([receiver.exporter.close(), claim.release()]);
}

/** For an exporter that delivers its backlog before it ends. */
export const CLAIM_WAIT_MS = 30_000;
/** For the locks of a dead machine: NFS keeps them for 90 seconds. */
const DEAD_CLAIM_WAIT_MS = 120_000;

/** Time for a reload to wait for another process. A standby that takes over waits for the last leader. */
export function reloadWaitMs({ leadership }: Pick<ExporterContext, "leadership">): number {
  return leadership === undefined ? 0 : DEAD_CLAIM_WAIT_MS;
}

/** Makes the directory private, or warns that other users can read it. */
async function closeStateDirectory({ stateDir }: Config, log: Logger): Promise<void> {
  const found = stateDir === undefined ? undefined : await inspectStateDirectory(stateDir, true);
  if (found?.kind === "open") log.warn(found.text);
  else if (found !== undefined) log.info(found.text);
}

interface Claimed extends Pick<Config, "stateDir"> {
  readonly servers: readonly { readonly name: string }[];
  /** Of a file system without locks. Default: about pushes. */
  readonly risk?: string;
}

const DOUBLE_PUSH = "a second exporter could push the same data";
/** Of a file in the place of the directory, or of one of its parents. */
const NO_DIRECTORY: readonly unknown[] = ["EEXIST", "ENOTDIR"];

/**
 * Claims the servers of `state_dir`, and releases them if `prepare` fails. `files`: `undefined` without `state_dir`.
 * @throws ExporterError STATE_DIR_BUSY, and errors of `prepare`
 */
export async function withClaim<Prepared>(
  config: Claimed,
  context: Pick<Runtime, "clock" | "log">,
  waitMs: number,
  prepare: (claim: StateClaim, files: JournalFiles | undefined) => Promise<Prepared>,
): Promise<Prepared> {
  const { stateDir } = config;
  const claim = await claimState(config, context, waitMs);
  const files = stateDir === undefined ? undefined : checkedFiles(createStateFiles(stateDir), claim.keep);
  try {
    return await prepare(claim, files);
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** @throws ExporterError STATE_DIR_BUSY */
async function claimState(
  { stateDir, servers, risk = DOUBLE_PUSH }: Claimed,
  { clock, log }: Pick<Runtime, "clock" | "log">,
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
    const text = NO_DIRECTORY.includes(errorCode(err))
      ? "state_dir is not a directory"
      : `state_dir cannot be locked: ${risk}`;
    log.warn({ err }, text);
    return nothing;
  }
}

/** Files that forget everything, without `state_dir`. */
export function forgetfulFiles(): StateFiles {
  return {
    read: async () => undefined,
    write: async () => undefined,
    rename: async () => undefined,
    syncDirectory: async () => undefined,
  };
}
