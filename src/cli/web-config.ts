import { stat } from "node:fs/promises";
import { type CommandContext, readText } from "../app/context.ts";
import type { WebLimits, WebObserver } from "../http/server/connection-handler.ts";
import { WebConfigSource } from "../http/web-config/source.ts";
import { withinTime } from "../lib/bounded-files.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import type { WebConfigFlags, WebFlags } from "./flags.ts";

/**
 * The file of `--web.config.file`, read and checked; undefined without one.
 * @throws ConfigError with everything that is wrong
 */
export async function openWebConfig(
  flags: WebConfigFlags,
  { log, redactor }: Pick<CommandContext, "log" | "redactor">,
): Promise<WebConfigSource | undefined> {
  const file = flags["web.config.file"];
  if (file === undefined) return undefined;
  return WebConfigSource.open({
    file,
    log,
    redactor,
    readFile: readText,
    stat: (path) => withinTime(path, () => stat(path, { bigint: true })),
  });
}

export function webLimits(flags: WebFlags): WebLimits {
  return { maxConnections: flags["web.maxConnections"], maxRequests: flags["web.maxRequests"] };
}

/** Counts in the metrics of whichever exporter is shown. */
export function webObserver(metrics: () => ExporterMetrics): WebObserver {
  return {
    rejected: (reason) => metrics().web.rejected(reason),
    observed: ({ connections, webConfigInForce }) => {
      metrics().web.connections(connections);
      metrics().web.configReloadSuccessful(webConfigInForce);
    },
  };
}
