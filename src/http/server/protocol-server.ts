import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket, Server as TlsServer } from "node:tls";
import { type ClientPolicy, clientFault } from "../web-config/client-policy.ts";
import type { WebConfig } from "../web-config/load.ts";
import type { ServerTls } from "../web-config/tls-options.ts";
import type { NoteRejection } from "./rejection-log.ts";

export interface ProtocolHooks {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void;
  readonly rejected: NoteRejection;
  readonly stalled: (socket: Socket) => void;
}

const HANDSHAKE_MS = 10_000;
/** Our clients send less than 1 kB. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_STREAMS = 32;

/** Speaks HTTP on accepted connections. It does not listen, so a new web configuration can replace it while old connections stay open. */
export function createProtocolServer(config: WebConfig, hooks: ProtocolHooks, stalledMs: number): Server {
  const http: ServerOptions = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 65_000, requireHostHeader: true };
  const { tls } = config;
  const server = tls === undefined ? createHttpServer(http) : secureServer(http, tls, config.http2, hooks);
  server.on("request", hooks.request);
  // A reader that stops keeps a whole page in memory.
  server.setTimeout(stalledMs);
  server.on("timeout", hooks.stalled);
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => refuseTunnel(socket));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => refuseMalformed(error, socket, hooks));
  return server;
}

function secureServer(http: ServerOptions, tls: ServerTls, http2: boolean, hooks: ProtocolHooks): HttpsServer {
  const options = { ...http, ...tls.options, handshakeTimeout: HANDSHAKE_MS };
  const settings = { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES };
  // Plain HTTP does not need this module.
  const server: TlsServer = http2
    ? process.getBuiltinModule("node:http2").createSecureServer({ ...options, allowHTTP1: true, settings })
    : createHttpsServer(options);
  server.on("tlsClientError", (error, socket) => {
    hooks.rejected("tls", socket.remoteAddress, error.message);
    socket.destroy();
  });
  admitOnly(server, tls.clients, hooks);
  // Both classes share what we use: timeouts, events, requests and responses.
  return server as HttpsServer;
}

/** Checks the client's certificate right after the handshake. */
function admitOnly(server: TlsServer, policy: ClientPolicy, hooks: ProtocolHooks): void {
  const speakers = server.listeners("secureConnection");
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket: TLSSocket) => {
    const fault = clientFault(policy, socket);
    if (fault !== undefined) {
      hooks.rejected("client_certificate", socket.remoteAddress, fault);
      socket.on("error", () => undefined);
      socket.destroy();
      return;
    }
    for (const speak of speakers) speak.call(server, socket);
  });
}

function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, hooks: ProtocolHooks): void {
  // The client disconnected, which is not a malformed request.
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  hooks.rejected("malformed", undefined);
  const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** CONNECT is for proxies. */
function refuseTunnel(socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  socket.end(
    "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    () => socket.destroy(),
  );
}
