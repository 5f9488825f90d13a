import type { Logger } from "pino";
import { proxyOptions, type ServerConfig } from "../config/resolve.ts";
import { readTextFile } from "../lib/bounded-files.ts";
import { createApiClient } from "../prtg/client.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ApiClientOptions } from "../prtg/options.ts";
import { SelectedApi } from "../selection/selected-api.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";
import { digest } from "./config-digests.ts";
import type { ServerClientContext } from "./context.ts";
import { answerLimits } from "./object-memory.ts";

/** As `connectServer`, with only the objects that the configuration selects. */
export function connectSelected(
  server: ServerConfig,
  observer: ServerRecorder,
  log: Logger,
  context: ServerClientContext,
  special: Pick<ApiClientOptions, "maxAttempts"> = {},
): MonitoringApi {
  const api = connectServer(server, observer, log, context, special);
  const { clock } = context;
  return server.select === undefined ? api : new SelectedApi({ api, rules: server.select, clock, log });
}

/** The same for entries of `servers` with the same URL, user and connection settings. */
export function accessKeyOf({ url, credentials, tls, proxy }: ServerConfig): string {
  const user =
    credentials.kind === "api_key"
      ? [credentials.apiKey.print()]
      : [credentials.username, credentials.password.print()];
  return digest([url, credentials.kind, user, tls, proxy && [proxy, proxy.password?.print()]]);
}

export function connectServer(
  server: ServerConfig,
  observer: ServerRecorder,
  log: Logger,
  context: ServerClientContext,
  special: Pick<ApiClientOptions, "maxAttempts"> = {},
): MonitoringApi {
  return createApiClient({ ...clientOptions(server, observer, log, context), ...special }, context.outgoing.accesses);
}

export function clientOptions(
  server: ServerConfig,
  observer: ServerRecorder,
  log: Logger,
  { build, clock, random, redactor, outgoing, memory }: ServerClientContext,
): ApiClientOptions {
  const { credentials, tls, proxy } = server;
  const isUnverified = tls.insecureSkipVerify && server.url.startsWith("https:");
  observer.unverified(isUnverified);
  if (isUnverified) {
    log.warn("tls.insecure_skip_verify is set: a machine between exporter and server can read the credentials");
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
    memory: memory.objects,
    permit: outgoing.permit,
    userAgent: `prtg-exporter/${build.version}`,
    ...{ clock, random, log, redactor, observer },
  };
}
