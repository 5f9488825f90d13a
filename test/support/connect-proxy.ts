import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import { keyPair } from "./certificates.ts";
import { listenOnLoopback } from "./loopback.ts";

interface ConnectProxy {
  readonly url: string;
  readonly host: string;
  /** `host:port` and credentials of each CONNECT. */
  readonly tunnels: readonly { readonly target: string; readonly credentials: string | undefined }[];
  /** Other requests, which the client must not send. */
  readonly others: readonly string[];
  /** Required credentials from now on. */
  expect(credentials: string | undefined): void;
}

interface ProxySettings {
  readonly credentials?: string;
  /** Status instead of a tunnel. */
  readonly refuse?: number;
  /** Key pair of `certificates`: the proxy itself uses TLS. */
  readonly certificate?: string;
}

/** A real HTTP proxy on loopback that tunnels anywhere. */
export async function startProxy(settings: ProxySettings = {}): Promise<ConnectProxy> {
  let expected = settings.credentials;
  const tunnels: { target: string; credentials: string | undefined }[] = [];
  const others: string[] = [];
  const onConnect = (request: IncomingMessage, client: Duplex, head: Buffer): void => {
    const credentials = credentialsOf(request.headers["proxy-authorization"]);
    tunnels.push({ target: request.url ?? "", credentials });
    client.on("error", () => client.destroy());
    const end = (status: number) => client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`);
    if (settings.refuse !== undefined) return void end(settings.refuse);
    if (credentials !== expected) return void end(407);
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream: Socket = connect(Number(port || 80), hostname, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("error", () => end(502)).on("close", () => client.destroy());
  };
  const { certificate } = settings;
  const server: Server = certificate === undefined ? createServer() : createSecureServer(keyPair(certificate));
  server.on("connect", onConnect);
  server.on("request", (request, response) => {
    others.push(`${request.method} ${request.url}`);
    response.writeHead(400).end();
  });
  const { port, close } = await listenOnLoopback(server);
  onTestFinished(close);
  const host = `127.0.0.1:${port}`;
  return {
    ...{ host, tunnels, others },
    url: `${certificate === undefined ? "http" : "https"}://${host}`,
    expect: (credentials) => {
      expected = credentials;
    },
  };
}

function credentialsOf(header: string | undefined): string | undefined {
  const [, pair] = /^Basic (.+)$/.exec(header ?? "") ?? [];
  return pair === undefined ? undefined : Buffer.from(pair, "base64").toString();
}
