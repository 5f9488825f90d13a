import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { keyPair } from "../../support/certificates.ts";
import { decodeRequest, type ReceivedBatch, type ReceivedMetric, type ReceivedPoint } from "./decode.ts";
import { decodeLogs, type ReceivedLogRecord, type ReceivedLogs } from "./decode-logs.ts";

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** As it came, before decompression. */
  readonly wire: Buffer;
  /** After decompression. */
  readonly body: Buffer;
  /** Metrics; empty for a request of log records. */
  readonly batches: readonly ReceivedBatch[];
  /** Empty for a request of metrics. */
  readonly logs: readonly ReceivedLogs[];
  /** Subject of the client's certificate. */
  readonly clientName: string | undefined;
}

/** How to answer: a status with what comes with it, or a function that does it itself. */
export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  | ((response: ServerResponse) => unknown);

export interface Receiver {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** All points of requests that were answered with 2xx, in the order in which they came. */
  readonly points: readonly (ReceivedPoint & { readonly metric: string })[];
  readonly metrics: readonly ReceivedMetric[];
  /** All log records of requests that were answered with 2xx, in the order in which they came. */
  readonly records: readonly ReceivedLogRecord[];
  /** Resolves with the first requests as soon as there are so many. */
  until(count: number): Promise<readonly SeenRequest[]>;
  close(): Promise<void>;
}

/**
 * A real OTLP/HTTP receiver on loopback for one test. `answer` is asked for each request, by its number from 0;
 * undefined takes what came. `tls` makes it speak HTTPS for localhost, with these options besides.
 */
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
  // Five seconds, the default, may pass on a busy machine while a request is on its way over an idle connection.
  server.keepAliveTimeout = 60_000;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  const metrics = (): ReceivedMetric[] => accepted.flatMap(({ batches }) => batches.flatMap((batch) => batch.metrics));
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
      return accepted.flatMap(({ logs }) => logs.flatMap((each) => each.records));
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
    batches: isLogs ? [] : decodeRequest(contentType, body),
    logs: isLogs ? decodeLogs(contentType, body) : [],
    clientName: certificate?.subject?.CN,
  };
}

interface PeerSocket {
  getPeerCertificate(): { readonly subject?: { readonly CN?: string } } | undefined;
}
