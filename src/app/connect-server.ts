import { getHeapStatistics } from "node:v8";
import type { Logger } from "pino";
import { proxyOptions } from "../config/proxy.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { ServerSettings } from "../config/schema.ts";
import { readTextFile } from "../lib/bounded-files.ts";
import { createApiClient } from "../prtg/client.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ApiClientOptions, ApiLimits } from "../prtg/options.ts";
import { SelectedApi } from "../selection/selected-api.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";
import { digest } from "./config-digests.ts";
import type { CommandContext } from "./context.ts";
import { permitOf } from "./standby.ts";

/** Of the heap, for each object of the longest list: enough for a list that is read while the one before is shown. */
const HEAP_BYTES_PER_OBJECT = 1024;
const MIN_OBJECTS = 10_000;
const MAX_OBJECTS = 1_000_000;
/** Seen: about 20 for a channel, 60 for a sensor with its tags. */
const CHARACTERS_PER_OBJECT = 64;

/** A text of the server may be in so many labels, on average: that of a device is in those of its sensors. */
const LABEL_COPIES = 4;

/** Of the heap, for code and everything else that is no object of a server. */
const BASE_HEAP_BYTES = 32 * 2 ** 20;
/** Of the rest; V8 needs room for what is not collected yet, and gives up when it finds too little of it. */
const OBJECT_SHARE = 0.7;

/** Bytes that objects of all servers may take of a heap that may have `heapBytes`. */
export function memoryForObjects(heapBytes: number): number {
  return Math.max(0, heapBytes - BASE_HEAP_BYTES) * OBJECT_SHARE;
}

/** The limits of a server; what the configuration leaves open follows from the size that the heap may have. */
export function answerLimits(
  { maxObjects, maxTextSize, ...limits }: ServerSettings["limits"],
  heapBytes: number = getHeapStatistics().heap_size_limit,
): ApiLimits {
  const fitting = Math.floor(heapBytes / HEAP_BYTES_PER_OBJECT);
  const objects = maxObjects ?? Math.min(MAX_OBJECTS, Math.max(MIN_OBJECTS, fitting));
  return { ...limits, maxObjects: objects, maxTextSize: maxTextSize ?? objects * CHARACTERS_PER_OBJECT };
}

/** Characters that labels of the server's objects, and those of its channels, may have in all. */
export function maxLabelText({ limits }: Pick<ServerConfig, "limits">): number {
  return LABEL_COPIES * answerLimits(limits).maxTextSize;
}

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
  return createApiClient({ ...clientOptions(server, observer, log, context), ...special });
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
    accesses: context.accesses,
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
