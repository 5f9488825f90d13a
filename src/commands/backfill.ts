import { resolve } from "node:path";
import { type BackfillOutcome, backfill as writeHistory } from "../backfill/backfill.ts";
import type { BackfillParameters } from "../backfill/parameters.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { PrometheusServerMetrics } from "../telemetry/prometheus-server-metrics.ts";
import type { BackfillFlags } from "./backfill-flags.ts";
import { progressBar, progressLines } from "./backfill-progress.ts";
import { createContext, loadFlaggedConfig } from "./context.ts";
import { connect } from "./exporter.ts";
import { interruption } from "./signals.ts";

/**
 * Brings history into files for promtool. Resolves with the exit code.
 * @throws ExporterError
 */
export async function backfill(flags: BackfillFlags, redactor: Redactor): Promise<number> {
  const interrupted = interruption();
  const context = createContext(flags, redactor);
  const { clock, log } = context;
  const { config } = await loadFlaggedConfig(flags, context);
  const server = chooseServer(config, flags.server);
  const missing = ["job", "instance"].filter((name) => !flags.label.some((label) => label.name === name));
  if (missing.length > 0) {
    const hint = missing.map((name) => `--label ${name}=...`).join(" ");
    log.warn(`without ${hint} the history does not join the series that a scrape makes`);
  }
  const metrics = new PrometheusServerMetrics(new ExporterMetrics(context.build, () => []), server.name);
  const api = connect(server, metrics, log, context);
  try {
    const outcome = await writeHistory({
      api,
      server: server.name,
      from: flags.from,
      to: flags.to,
      selection: { paths: flags.path, kinds: flags.kind, tags: flags.tag },
      extraLabels: flags.label,
      parameters: parametersOf(flags, server.name),
      output: flags.output,
      skipFailed: flags.skipFailed === true,
      // As many as the budget lets through, and one that is being written.
      concurrency: server.limits.concurrency + 1,
      clock,
      log,
      progress: process.stderr.isTTY ? progressBar(process.stderr, clock) : progressLines(log, clock),
      signal: interrupted.signal,
    });
    context.print(conclude(outcome, flags.output));
    return outcome.kind === "interrupted" ? (interrupted.exitCode ?? 1) : 0;
  } finally {
    await api.close();
  }
}

function chooseServer({ servers }: Config, name: string | undefined): ServerConfig {
  const names = servers.map((server) => server.name).join(", ");
  const [first, second] = servers;
  if (name === undefined && first !== undefined && second === undefined) return first;
  const named = servers.find((server) => server.name === name);
  if (named !== undefined) return named;
  const text = name === undefined ? `there are several servers: ${names}` : `there is no server ${name}, but ${names}`;
  throw new ExporterError("BACKFILL_SERVER_UNKNOWN", text);
}

function parametersOf(flags: BackfillFlags, server: string): BackfillParameters {
  return {
    server,
    from: flags.from.text,
    to: flags.to.text,
    resolution: flags.resolution,
    labels: flags.label.map(({ name, value }) => `${name}=${value}`),
    paths: flags.path,
    kinds: flags.kind,
    tags: flags.tag,
  };
}

function conclude(outcome: BackfillOutcome, output: string): string {
  if (outcome.kind === "interrupted") {
    const { done, sensors } = outcome;
    const state = sensors === 0 ? "before any sensor was read" : `${done} of ${sensors} sensors are done`;
    return `interrupted: ${state}; run the same command again to continue`;
  }
  const { files, samples, series, sensors } = outcome.run;
  if (files.length === 0) return `the server has no measurements of these ${sensors} sensors in this time`;
  const folder = resolve(output);
  const paths = outcome.shared ? files.map((name) => quote(`${folder}/${name}`)).join(" ") : `${quote(folder)}/*.om`;
  return [
    `wrote ${samples} samples of up to ${series} series into ${files.length} files in ${output}`,
    "next, where the data folder of Prometheus is (see docs/backfill.md):",
    `  for file in ${paths}; do promtool tsdb create-blocks-from --max-block-duration=24h openmetrics --quiet "$file" DATA_FOLDER || break; done`,
  ].join("\n");
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
