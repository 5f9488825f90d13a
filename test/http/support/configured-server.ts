import { writeFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { type RequestOptions, request } from "node:https";
import { onTestFinished } from "vitest";
import { Redactor } from "../../../src/errors/redactor.ts";
import { respond } from "../../../src/http/pages/status/respond.ts";
import { startWebServer, type WebLimits, type WebServer } from "../../../src/http/server/connection-handler.ts";
import { type RouteHandler, respondText } from "../../../src/http/server/responses.ts";
import { WebConfigSource } from "../../../src/http/web-config/source.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";

interface ConfiguredServer {
  readonly web: WebServer;
  readonly url: string;
  readonly port: number;
  readonly source: WebConfigSource;
  /** All log levels. */
  readonly logged: string[];
  readonly rejected: string[];
  write(yaml: string): void;
}

const ROUTES: readonly [string, RouteHandler][] = [
  ["/metrics", (_request, response) => respondText(response, 200, "prtg_up 1\n")],
  [
    "/",
    (request, response) =>
      respond(request, response, { status: 200, contentType: "text/html; charset=utf-8", body: "<!doctype html>" }),
  ],
];

let count = 0;

/** Rereads every 20 ms. `folder`: of the file, with certificates if it names some. */
export async function startConfigured(
  folder: { path(name: string): string },
  yaml: string,
  limits: WebLimits = {},
): Promise<ConfiguredServer> {
  const file = folder.path(`web-${++count}.yaml`);
  const write = (text: string) => writeFileSync(file, text);
  write(yaml);
  const logged: string[] = [];
  const rejected: string[] = [];
  const redactor = new Redactor();
  const output = { write: (line: string) => logged.push(line) };
  const log = createLogger({ level: "debug", redactor, output });
  const source = await WebConfigSource.open({
    file,
    log,
    redactor,
    readFile: (path) => readFile(path, "utf8"),
    stat: (path) => stat(path, { bigint: true }),
  });
  const web = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    routes: new Map(ROUTES),
    webConfig: source,
    observer: { rejected: (reason) => rejected.push(reason), observed: () => undefined },
    watchMs: 20,
    log,
    ...limits,
  });
  onTestFinished(() => web.close(0));
  const url = web.urls[0] ?? "";
  return { web, url, port: Number(new URL(url).port), source, logged, rejected, write };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Negotiated TLS version. */
  readonly protocol: string | null | undefined;
  readonly cipher: string | undefined;
}

/** New connection, HTTP/1.1. Rejects without an answer. */
export function askTls(url: string, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent: false, servername: "localhost", ...options }, (response) => {
      const { socket } = response as unknown as { socket: import("node:tls").TLSSocket };
      const [protocol, cipher] = [socket.getProtocol(), socket.getCipher()?.name];
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        body += part;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, protocol, cipher }),
      );
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

export function askHttp2(url: string, ca: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(url, { ca, servername: "localhost" });
    session.on("error", reject);
    const { pathname } = new URL(url);
    const stream = session.request({ ":path": pathname, ...headers });
    let body = "";
    let received: Record<string, unknown> = {};
    stream.on("response", (fields) => {
      received = fields;
    });
    stream.setEncoding("utf8").on("data", (part: string) => {
      body += part;
    });
    stream.on("error", reject);
    // No effect after an answer.
    stream.on("close", () => reject(new Error("the session ended without an answer")));
    stream.on("end", () => {
      const protocol = session.alpnProtocol;
      session.close();
      resolve({ status: Number(received[":status"]), headers: received, body, protocol, cipher: undefined });
    });
    stream.end();
  });
}
