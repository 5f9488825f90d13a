import { stat } from "node:fs/promises";
import { type ProcessRuntime, readText } from "../app/context.ts";
import type { Config } from "../config/load.ts";
import { formatKey } from "../config/origin.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { WebLimits, WebObserver } from "../http/server/connection-handler.ts";
import type { WebConfigSource } from "../http/web-config/source.ts";
import { withinTime } from "../lib/bounded-files.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import type { WebConfigFlags, WebFlags } from "./flags.ts";

/** `undefined` without `--web.config.file`. @throws ConfigError with all problems */
export async function openWebConfig(
  flags: WebConfigFlags,
  { log, redactor }: Pick<ProcessRuntime, "log" | "redactor">,
): Promise<WebConfigSource | undefined> {
  const file = flags["web.config.file"];
  if (file === undefined) return undefined;
  const source = await import("../http/web-config/source.ts");
  return source.WebConfigSource.open({
    file,
    log,
    redactor,
    readFile: readText,
    stat: (path) => withinTime(path, () => stat(path, { bigint: true })),
  });
}

const SET_FILE = "Set --web.config.file for this command too, as for serve.";
const ADD_USER = "Correct the name in web.users, or add the user to basic_auth_users.";

/** A misspelt user in `web.users` would have full access. @throws ExporterError CONFIG_INVALID */
export function refuseUnknownUsers({ web }: Pick<Config, "web">, source: WebConfigSource | undefined): void {
  const unknown = [...web.users.keys()].filter((name) => source?.current.users.has(name) !== true);
  if (unknown.length === 0) return;
  const fault = source === undefined ? "which is not set" : "which has no user with this name";
  const lines = unknown.map(
    (name) =>
      `${formatKey(["web", "users", name])}: expected a user of basic_auth_users in --web.config.file, ${fault}`,
  );
  throw new ExporterError("CONFIG_INVALID", lines.join("\n"), { remedy: source === undefined ? SET_FILE : ADD_USER });
}

export function webLimits(flags: WebFlags): WebLimits {
  return { maxConnections: flags["web.maxConnections"], maxRequests: flags["web.maxRequests"] };
}

/** Records to the metrics of the current exporter. */
export function webObserver(metrics: () => ExporterMetrics): WebObserver {
  return {
    rejected: (reason) => metrics().web.rejected({ reason }),
    observed: ({ connections, webConfigInForce }) => {
      metrics().web.connections(connections);
      metrics().web.configReloadSuccessful(webConfigInForce);
    },
  };
}
