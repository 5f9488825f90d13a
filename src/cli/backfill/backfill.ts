import { statfs } from "node:fs/promises";
import type { Logger } from "pino";
import { connectSelected } from "../../app/connect-server.ts";
import { createContext, loadFlaggedConfig } from "../../app/context.ts";
import { mappingOf } from "../../app/mapping.ts";
import { backfill as bringHistory } from "../../backfill/backfill.ts";
import { parseTimeFlag, type TimeFlag } from "../../backfill/flag-values.ts";
import { type BackfillParameters, seriesSettings } from "../../backfill/parameters.ts";
import type { Config } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { serverRecorder } from "../../telemetry/recorders.ts";
import { interruption } from "../signals.ts";
import type { BackfillFlags } from "./flags.ts";
import { openHistoryPush } from "./history-push.ts";
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

/** For this user. */
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
