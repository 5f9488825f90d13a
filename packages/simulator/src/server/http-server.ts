import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { ErrorCode } from "../api-errors.ts";
import { errorObject } from "../api-errors.ts";
import { type Random, randomHex } from "../random.ts";

/** Long filters make long URLs. Idle connections stay longer than clients keep theirs, who else may use a closing one. */
const SERVER_OPTIONS = {
  maxHeaderSize: 64 * 1024,
  keepAliveTimeout: 65_000,
  // "Reading the request body took too long": 25 seconds, as for everything.
  requestTimeout: 25_000,
  headersTimeout: 25_000,
  connectionsCheckingInterval: 1000,
};

/** Certificate and key, PEM. */
export interface TlsOptions {
  readonly key: string;
  readonly cert: string;
}

export interface HttpServerOptions {
  /** Plain HTTP without. */
  readonly tls: TlsOptions | undefined;
  /** For request ids. */
  readonly random: Random;
}

export function createHttpServer({ tls, random }: HttpServerOptions, listener: RequestListener): Server {
  const server =
    tls === undefined
      ? createServer(SERVER_OPTIONS, listener)
      : createTlsServer({ ...SERVER_OPTIONS, ...tls }, listener);
  answerMalformedRequests(server, random);
  return server;
}

/** Resolves with the port. Rejects when the address cannot be listened on. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops listening and breaks off all connections. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** An address to listen on that can also be connected to. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** Gives what Node's parser refuses, and requests that take too long to arrive, an error object as well. */
function answerMalformedRequests(server: Server, random: Random): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    const requestId = randomHex(random, 32);
    const code: ErrorCode = late ? "EXECUTION_TIMEOUT" : "BAD_REQUEST";
    const body = errorObject(code, late ? "Reading the request took too long" : "The request is not HTTP", requestId);
    const head = [
      `HTTP/1.1 ${late ? "408 Request Timeout" : "400 Bad Request"}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}
