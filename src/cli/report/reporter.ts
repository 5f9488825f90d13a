import { ERROR_STATUS } from "prtg-simulator/src/api-errors.ts";
import { clientOptions } from "../../app/connect-server.ts";
import type { ServerClientContext } from "../../app/context.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { scopeOf } from "../../errors/catalogue.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { ApiError } from "../../prtg/api-error.ts";
import type { ApiAnswer } from "../../prtg/request/messages.ts";
import { Requester } from "../../prtg/request/requester.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { type ServerRecorder, serverRecorder } from "../../telemetry/recorders.ts";
import type { FinishedRequest } from "../../telemetry/run-trace.ts";
import { CONTENT_TYPES, type EndpointReport, RELEASE, type ServerReport, SIZES, writeReport } from "./format.ts";
import { type NeededObject, PROBES, type Probe, SAMPLE } from "./probes.ts";
import { shapeOf } from "./shape.ts";

export interface Asker {
  /** Sends one GET below `/api/v2`, with its query. */
  readonly ask: (endpoint: string, path: string) => Promise<ApiAnswer>;
  /** Duration of the last request to its last byte, milliseconds. */
  readonly lastMs: () => number;
}

/** Other requests would fail too, and repeated rejections lock accounts. */
function isFatal({ code }: ExporterError): boolean {
  const scope = scopeOf(code);
  return scope === "connection" || scope === "credentials" || code === "API_SUSPENDED";
}

export async function reportServer({ ask, lastMs }: Asker): Promise<ServerReport> {
  const endpoints: EndpointReport[] = [];
  const ids = new Map<NeededObject, string>();
  let release: string | null = null;
  let complete = true;
  for (const probe of PROBES) {
    const id = probe.needs === undefined ? "" : ids.get(probe.needs);
    if (id === undefined) continue;
    const { endpoint, query } = probe;
    const base = () => ({ endpoint, query, ms: Math.round(lastMs()) });
    try {
      const answer = await ask(endpoint, probePath(probe, id));
      endpoints.push({ ...base(), ...describeAnswer(answer) });
      if (endpoint === "/version") release = releaseIn(answer.json);
      learnIds(probe, answer.json, ids);
    } catch (error) {
      if (!(error instanceof ExporterError)) throw error;
      endpoints.push({ ...base(), ...describeFailure(error) });
      if (!isFatal(error)) continue;
      complete = false;
      break;
    }
  }
  return {
    release,
    spelling: spellingIn(endpoints),
    default_limit: defaultLimit(endpoints),
    objects: sizesIn(endpoints),
    complete,
    endpoints,
  };
}

function probePath({ endpoint, query }: Probe, id: string): string {
  const path = endpoint.replace("{id}", encodeURIComponent(id));
  const parameters = query.split("&").map((parameter) => {
    const at = parameter.indexOf("=");
    return `${parameter.slice(0, at)}=${encodeURIComponent(parameter.slice(at + 1).replace("{id}", id))}`;
  });
  return query === "" ? path : `${path}?${parameters.join("&")}`;
}

function describeAnswer({ json, response }: ApiAnswer): Omit<EndpointReport, "endpoint" | "query" | "ms"> {
  const { status, contentType, totalCount, hasNext, dateMs, bytes } = response;
  const headers = [
    ...(dateMs === undefined ? [] : (["Date"] as const)),
    ...(hasNext === undefined ? [] : (["Link"] as const)),
    ...(totalCount === undefined ? [] : (["X-Total-Count"] as const)),
  ];
  return {
    status,
    ...(contentType === undefined
      ? {}
      : { content_type: CONTENT_TYPES.find((type) => type === contentType) ?? "other" }),
    headers,
    ...(totalCount === undefined ? {} : { total: totalCount }),
    ...(Array.isArray(json) ? { records: json.length } : {}),
    bytes,
    ...(json === undefined ? {} : { shape: shapeOf(json) }),
  };
}

function describeFailure(error: ExporterError): Omit<EndpointReport, "endpoint" | "query" | "ms"> {
  const { httpStatus, serverCode } = error instanceof ApiError ? error : {};
  const known = serverCode !== undefined && Object.hasOwn(ERROR_STATUS, serverCode);
  return {
    status: httpStatus ?? null,
    failure: error.code,
    ...(serverCode === undefined ? {} : { server_code: known ? serverCode : "other" }),
  };
}

/** First text in `/version` that is only a release. */
function releaseIn(json: unknown): string | null {
  if (typeof json === "string") return RELEASE.test(json) ? json : null;
  if (typeof json !== "object" || json === null) return null;
  return Object.values(json).find((text): text is string => typeof text === "string" && RELEASE.test(text)) ?? null;
}

const ID = /^\d{1,18}$/;
const CHANNEL_ID = /^(?<sensor>\d{1,18})\.-?\d{1,18}$/;

/** First object of each kind, but preferably a measured sensor. */
function learnIds({ endpoint }: Probe, json: unknown, ids: Map<NeededObject, string>): void {
  const kind = /^(?:\/experimental)?\/(?<kind>probe|group|device|sensor|channel)s$/.exec(endpoint)?.groups?.kind;
  if (kind === undefined || !Array.isArray(json)) return;
  if (kind === "channel") {
    learnChannel(json, ids);
    return;
  }
  const id = json.map(idOf).find((text) => ID.test(text));
  const key = kind === "probe" || kind === "group" || kind === "device" ? kind : "sensor";
  if (id !== undefined && !ids.has(key)) ids.set(key, id);
}

function learnChannel(records: readonly unknown[], ids: Map<NeededObject, string>): void {
  if (ids.has("channel")) return;
  const measured = records.find((record) => CHANNEL_ID.test(idOf(record)) && measuredValue(record) !== undefined);
  const id = idOf(measured);
  const sensor = CHANNEL_ID.exec(id)?.groups?.sensor;
  if (sensor === undefined) return;
  ids.set("channel", id);
  ids.set("sensor", sensor);
}

function idOf(record: unknown): string {
  const id = typeof record === "object" && record !== null && "id" in record ? record.id : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : "";
}

function measuredValue(record: unknown): unknown {
  const measured = typeof record === "object" && record !== null && "last_measurement" in record;
  const measurement = measured ? record.last_measurement : undefined;
  const isThere = typeof measurement === "object" && measurement !== null && "value" in measurement;
  return isThere ? (measurement.value ?? undefined) : undefined;
}

function spellingIn(endpoints: readonly EndpointReport[]): ServerReport["spelling"] {
  const sums = { live: 0, specification: 0 };
  for (const { endpoint, shape = {} } of endpoints) {
    if (!endpoint.endsWith("/sensors")) continue;
    const types = shape["$[].status"] ?? {};
    sums.live += (types["status in upper case"] ?? 0) + (types["status with a prefix"] ?? 0);
    sums.specification += types["status in lower case"] ?? 0;
  }
  if (sums.live + sums.specification === 0) return null;
  return sums.live >= sums.specification ? "live" : "specification";
}

function defaultLimit(endpoints: readonly EndpointReport[]): number | null {
  const answer = endpoints.find(({ endpoint, query }) => endpoint === "/experimental/channels" && query === "");
  const { records = 0, total = records } = answer ?? {};
  return records > 0 && records < total ? records : null;
}

/** Number of objects that lists report, or the length of short lists. */
function sizesIn(endpoints: readonly EndpointReport[]): ServerReport["objects"] {
  const sizes = SIZES.flatMap((kind) => {
    const lists = endpoints.filter(
      ({ endpoint, query }) => query === `limit=${SAMPLE}` && [`/experimental/${kind}`, `/${kind}`].includes(endpoint),
    );
    const [size] = lists.flatMap(({ total, records = SAMPLE }) => total ?? (records < SAMPLE ? records : []));
    return size === undefined ? [] : [[kind, size] as const];
  });
  return Object.fromEntries(sizes);
}

/** Writes nothing if the signal aborts. @throws ExporterError REPORT_UNWRITABLE */
export async function writeServerReports(
  file: string,
  servers: readonly ServerConfig[],
  context: ServerClientContext,
  signal: AbortSignal,
): Promise<void> {
  try {
    const reports = await Promise.all(servers.map((server) => reportOn(server, context, signal)));
    await writeReport(file, context.build.version, reports);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Sends each request once. Rejects with the signal's reason. */
export async function reportOn(
  server: ServerConfig,
  context: ServerClientContext,
  signal: AbortSignal,
): Promise<ServerReport> {
  const log = context.log.child({ server: server.name });
  const metrics = new ExporterMetrics(context.build, () => []);
  let lastMs = 0;
  const observer: ServerRecorder = {
    ...serverRecorder(metrics, server.name),
    requestFinished: ({ durationMs }: FinishedRequest) => {
      lastMs = durationMs;
    },
  };
  const requester = new Requester(
    { ...clientOptions(server, observer, log, context), maxAttempts: 1 },
    context.outgoing.accesses,
  );
  try {
    return await reportServer({
      ask: (endpoint, path) => {
        lastMs = 0;
        return endpoint === "/health" ? requester.health(signal) : requester.get({ endpoint, path }, signal);
      },
      lastMs: () => lastMs,
    });
  } finally {
    await requester.close();
  }
}
