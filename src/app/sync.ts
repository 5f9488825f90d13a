import { hostname } from "node:os";
import type { Config } from "../config/load.ts";
import { STANDARD_OUTPUT } from "../config/schema.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import { fileOutput, streamOutput } from "../events/json-lines-sink.ts";
import { PRIVATE_FILE } from "../lib/durable-file.ts";
import { type StateClaim, SYNC_CLAIM } from "../state/state-claims.ts";
import { createStateFiles, type StateFiles, type StateReport } from "../state/state-files.ts";
import { type AlertmanagerClient, createAlertmanagerClient } from "../sync/alertmanager.ts";
import { AuditLog } from "../sync/audit-log.ts";
import { SyncLoop } from "../sync/sync-loop.ts";
import { SyncMemory } from "../sync/sync-memory.ts";
import { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { SYNC_FAMILIES } from "../telemetry/metric-declarations.ts";
import { type SyncRecorder, syncRecorder } from "../telemetry/recorders.ts";
import { type ExporterContext, readText } from "./context.ts";
import { Exporter } from "./exporter.ts";
import { beginPageCounters } from "./metrics-page.ts";
import { reloadWaitMs, withClaim } from "./otlp-preparation.ts";
import { sidesOf, syncConfig } from "./sync-sides.ts";

const ADD_SECTION = "Add the section: https://prtg-exporter.github.io/prtg-exporter/sync";

export interface OpenSync {
  readonly exporter: Exporter;
  readonly alertmanager: AlertmanagerClient;
  readonly loop: SyncLoop;
  /** How the memory was found. */
  readonly memory: StateReport;
  /** Servers whose statuses are not known, or no longer. */
  unread(): readonly string[];
  /** Polls, and compares both sides until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Ends polls and connections. Abort the signal of `run` before: this waits for what the last round writes. */
  stop(): Promise<void>;
}

/** @throws ExporterError CONFIG_INVALID */
export function requireSection({ sync, stateDir }: Config) {
  // The schema requires state_dir beside the section.
  if (sync === undefined || stateDir === undefined) {
    throw new ExporterError("CONFIG_INVALID", "sync: the section is missing", { remedy: ADD_SECTION });
  }
  return { sync, stateDir };
}

/** The metrics of this process. `serve` has those of the servers, and alerts must not fire twice. */
export function syncMetrics({ build }: Pick<ExporterContext, "build">) {
  const metrics = new ExporterMetrics(build, () => [], SYNC_FAMILIES);
  beginPageCounters(metrics);
  return { metrics, observer: syncRecorder(metrics) };
}

/**
 * Everything between the PRTG servers and Alertmanager. Sends nothing before `exporter.start()`.
 * @param changes False: the caller only asks what would change, while another process may run.
 * @throws ExporterError CONFIG_INVALID, STATE_DIR_BUSY
 */
export async function openSync(
  config: Config,
  context: ExporterContext,
  observer: SyncRecorder,
  changes = true,
): Promise<OpenSync> {
  const { sync, stateDir } = requireSection(config);
  const { clock, log, redactor, build, leadership } = context;
  const servers = config.servers.map((server) => {
    const credentials = sync.servers.get(server.name) ?? server.credentials;
    return { ...server, credentials };
  });
  const reading = syncConfig({ ...config, servers }, sync.intervalMs);
  const compose = async (claim: Pick<StateClaim, "release">, files: StateFiles): Promise<OpenSync> => {
    const memory = await SyncMemory.open(files);
    const { found, message, file } = memory.report;
    if (found !== "good" && found !== "new") log.warn({ file }, `the memory of sync is lost: ${found} (${message})`);
    const exporter = new Exporter(reading, context);
    const userAgent = `prtg-exporter/${build.version}`;
    const alertmanager = createAlertmanagerClient(sync.alertmanager, {
      userAgent,
      clock,
      redactor,
      readFile: readText,
    });
    const output =
      sync.auditLog === STANDARD_OUTPUT ? streamOutput(process.stdout) : fileOutput(sync.auditLog, PRIVATE_FILE);
    const identity = `${hostname()}-${process.pid}-${clock.now().toString(36)}`;
    // Another replica may have led since this memory was written.
    const knowsSince = found === "good" && leadership === undefined ? 0 : clock.now();
    const names = servers.map(({ name }) => name);
    const sides = () =>
      sidesOf({
        ...{ exporter, servers: names, changeable: new Set(sync.servers.keys()) },
        ...{ templates: sync.pausedMatchers, everyMs: sync.intervalMs, clock },
      });
    const loop = new SyncLoop({
      ...{ alertmanager, memory, audit: new AuditLog(output, clock, identity, redactor), clock, log },
      ...{ servers: sides, names, knowsSince },
      acknowledge: async (server, sensorId, how, signal) => {
        const monitor = exporter.monitor(server);
        return monitor === undefined ? "gone" : monitor.api.actions.acknowledge(sensorId, how, signal);
      },
      rules: sync,
      changesPerMinute: sync.changesPerMinute,
      intervalMs: sync.intervalMs,
      isLeading: () => leadership?.isLeading ?? true,
      observer,
    });
    let working: Promise<void> | undefined;
    const work = async (signal: AbortSignal) => {
      await exporter.start();
      await loop.run(signal);
    };
    const stop = async () => {
      await exporter.stop();
      await working?.catch(() => undefined);
      await alertmanager.close();
      await claim.release();
    };
    const run = (signal: AbortSignal) => {
      working = work(signal);
      return working;
    };
    const unread = () => {
      const known = sides();
      return names.filter((name) => !known.has(name));
    };
    return { exporter, alertmanager, loop, memory: memory.report, unread, run, stop };
  };
  // A damaged memory stays where it is, too.
  const untouched = { ...createStateFiles(stateDir), rename: async () => undefined };
  if (!changes) return compose({ release: async () => undefined }, untouched);
  const claimed = { stateDir, servers: [{ name: SYNC_CLAIM }], risk: "a second sync could make each change twice" };
  return withClaim(claimed, context, reloadWaitMs(context), (claim, files = createStateFiles(stateDir)) =>
    compose(claim, files),
  );
}
