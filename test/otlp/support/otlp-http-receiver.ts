import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { PROBE_EVENT } from "../../../src/otlp/event-sink.ts";
import { keyPair } from "../../support/certificates.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { decodeLogs, type ReceivedLogRecord, type ReceivedLogs } from "./decode-logs.ts";
import { decodeMetrics, type ReceivedBatch, type ReceivedMetric, type ReceivedPoint } from "./decode-metrics.ts";

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Before decompression. */
  readonly wire: Buffer;
  /** After decompression. */
  readonly body: Buffer;
  /** Empty for logs. */
  readonly batches: readonly ReceivedBatch[];
  /** Empty for metrics. */
  readonly logs: readonly ReceivedLogs[];
  /** Subject of the client certificate. */
  readonly clientName: string | undefined;
}

/** A status with headers and body, or a function that answers. */
export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  | ((response: ServerResponse) => unknown);

export interface Receiver {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Points of accepted requests (2xx) in order, without probes. */
  readonly points: readonly (ReceivedPoint & { readonly metric: string })[];
  readonly metrics: readonly ReceivedMetric[];
  /** Accepted (2xx), in order. */
  readonly records: readonly ReceivedLogRecord[];
  until(count: number): Promise<readonly SeenRequest[]>;
  close(): Promise<void>;
}

/** `answer`: by number from 0, undefined accepts. `tls`: HTTPS for localhost. */
export async function startReceiver(
  answer: (request: number, seen: SeenRequest) => Answer | undefined = () => undefined,
  tls?: ServerOptions,
): Promise<Receiver> {
  const requests: SeenRequest[] = [];
  const accepted: SeenRequest[] = [];
  const waiting = new Set<() => void>();
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const seen = await readRequest(incoming);
    requests.push(seen);
    for (const look of waiting) look();
    const chosen = answer(requests.length - 1, seen) ?? {};
    if (typeof chosen === "function") {
      chosen(response);
      return;
    }
    const { status = 200, headers = {}, body = "" } = chosen;
    if (status < 300) accepted.push(seen);
    response.writeHead(status, headers).end(body);
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    handle(incoming, response).catch((error: unknown) => {
      response.writeHead(400, { "content-type": "text/plain" }).end(String(error));
    });
  };
  const server: Server =
    tls === undefined ? createServer(listener) : createSecureServer({ ...keyPair("localhost"), ...tls }, listener);
  const { port, close } = await listenOnLoopback(server);
  onTestFinished(close);
  const metrics = (): ReceivedMetric[] =>
    accepted.filter((seen) => !isProbe(seen)).flatMap(({ batches }) => batches.flatMap((batch) => batch.metrics));
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    requests,
    get metrics() {
      return metrics();
    },
    get points() {
      return metrics().flatMap(({ name, points }) => points.map((point) => ({ ...point, metric: name })));
    },
    get records() {
      const seen = accepted.filter((each) => !isProbe(each));
      return seen.flatMap(({ logs }) => logs.flatMap((each) => each.records));
    },
    until: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (requests.length < count) return;
          waiting.delete(look);
          resolve(requests.slice(0, count));
        };
        waiting.add(look);
        look();
      }),
    close,
  };
}

/** Finds out whether the receiver accepts anything. */
export function isProbe({ batches, logs }: SeenRequest): boolean {
  if (logs.some(({ records }) => records.some(({ eventName }) => eventName === PROBE_EVENT))) return true;
  return batches.some(({ metrics }) => metrics.some(({ name }) => /^prtg[._]exporter[._]otlp[._]probe$/.test(name)));
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const wire = Buffer.concat(chunks);
  const body = incoming.headers["content-encoding"] === "gzip" ? gunzipSync(wire) : wire;
  const { socket } = incoming;
  const certificate = "getPeerCertificate" in socket ? (socket as PeerSocket).getPeerCertificate() : undefined;
  const { url = "", headers } = incoming;
  const contentType = headers["content-type"] ?? "";
  const isLogs = new URL(url, "http://receiver").pathname.endsWith("/v1/logs");
  return {
    path: url,
    headers,
    wire,
    body,
    batches: isLogs ? [] : decodeMetrics(contentType, body),
    logs: isLogs ? decodeLogs(contentType, body) : [],
    clientName: certificate?.subject?.CN,
  };
}

interface PeerSocket {
  getPeerCertificate(): { readonly subject?: { readonly CN?: string } } | undefined;
}
