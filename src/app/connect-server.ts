import type { Logger } from "pino";
import { proxyOptions } from "../config/proxy.ts";
import type { ServerConfig } from "../config/resolve.ts";
import { readTextFile } from "../lib/bounded-files.ts";
import { createApiClient } from "../prtg/client.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ApiClientOptions } from "../prtg/options.ts";
import { SelectedApi } from "../selection/selected-api.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";
import { digest } from "./config-digests.ts";
import type { CommandContext } from "./context.ts";
import { permitOf } from "./leadership.ts";
import { answerLimits } from "./object-memory.ts";

/** As `connectServer`, but only the part that the configuration selects is there. */
export function connectSelected(
  server: ServerConfig,
  observer: ServerRecorder,
  log: Logger,
  context: CommandContext,
  special: Pick<ApiClientOptions, "maxAttempts"> = {},
): MonitoringApi {
  const api = connectServer(server, observer, log, context, special);
  const { clock } = context;
  return server.select === undefined ? api : new SelectedApi({ api, rules: server.select, clock, log });
}

/** The same for entries of `servers` that are the same server, reached in the same way as the same user. */
export function accessKeyOf({ url, credentials, tls, proxy }: ServerConfig): string {
  const user =
    credentials.kind === "api_key"
      ? [credentials.apiKey.print()]
      : [credentials.username, credentials.password.print()];
  return digest([url, credentials.kind, user, tls, proxy && [proxy, proxy.password?.print()]]);
}

/** The client of one server, as its configuration wants it, but for what `special` says. */
export function connectServer(
  server: ServerConfig,
  observer: ServerRecorder,
  log: Logger,
  context: CommandContext,
  special: Pick<ApiClientOptions, "maxAttempts"> = {},
): MonitoringApi {
  return createApiClient({ ...clientOptions(server, observer, log, context), ...special }, context.accesses);
}

/** How one server is reached, as its configuration has it. */
export function clientOptions(
  server: ServerConfig,
  observer: ServerRecorder,
  log: Logger,
  context: CommandContext,
): ApiClientOptions {
  const { credentials, tls, proxy } = server;
  const isUnverified = tls.insecureSkipVerify && server.url.startsWith("https:");
  observer.unverified(isUnverified);
  if (isUnverified) {
    log.warn("tls.insecure_skip_verify is set: whoever is between here and the server can read the credentials");
  }
  return {
    name: server.name,
    url: server.url,
    auth:
      credentials.kind === "api_key"
        ? { kind: "api_key", key: async () => (await credentials.apiKey.read()).reveal() }
        : {
            kind: "login",
            username: credentials.username,
            password: async () => (await credentials.password.read()).reveal(),
          },
    tls,
    proxy: proxy && proxyOptions(proxy, readTextFile),
    limits: answerLimits(server.limits),
    accessKey: accessKeyOf(server),
    memory: context.memory,
    permit: permitOf(context.leadership),
    userAgent: `prtg-exporter/${context.build.version}`,
    clock: context.clock,
    random: context.random,
    log,
    redactor: context.redactor,
    observer,
  };
}
