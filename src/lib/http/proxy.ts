import { Socket } from "node:net";
import type { buildConnector } from "undici";
import { type ConnectSettings, type TlsClientOptions, tlsConnector } from "./tls.ts";

/** A proxy for all connections. Each connection is a tunnel (CONNECT, RFC 9110, 9.3.6). */
export interface ProxyOptions {
  readonly url: string;
  readonly tls?: TlsClientOptions | undefined;
  /** Returns the current `Proxy-Authorization`. Called for each tunnel. */
  readonly authorization?: (() => Promise<string>) | undefined;
}

/** The proxy refuses a tunnel. Without `code`, because undici handles some codes itself. */
export class ProxyRefused extends Error {
  override readonly name = "ProxyRefused";
  readonly proxy: string;
  /** HTTP status of the answer to CONNECT. */
  readonly status: number;

  constructor(proxy: string, status: number) {
    super(
      status === UNAUTHORIZED
        ? `the proxy ${proxy} requires credentials, or rejects those of proxy_auth (407)`
        : `the proxy ${proxy} refuses a connection to the host of the URL (${status})`,
    );
    this.proxy = proxy;
    this.status = status;
  }

  get isUnauthorized(): boolean {
    return this.status === UNAUTHORIZED;
  }
}

/** The proxy cannot be reached, or closes the connection without an answer. */
export class ProxyUnusable extends Error {
  override readonly name = "ProxyUnusable";
  readonly proxy: string;

  constructor(proxy: string, cause: unknown) {
    super(`no usable connection to the proxy ${proxy}: ${textOf(cause)}`, { cause });
    this.proxy = proxy;
  }
}

const UNAUTHORIZED = 407;

/**
 * Opens tunnels. undici's ProxyAgent takes no connector, so it could not reload certificates or check pins.
 * @param over Makes a TLS connection inside the tunnel.
 */
export function proxyConnector(
  proxy: ProxyOptions,
  settings: ConnectSettings,
  over: buildConnector.connector | undefined,
): buildConnector.connector {
  const { origin, protocol, host } = new URL(proxy.url);
  const connect = protocol === "https:" ? tlsConnector(proxy.tls ?? {}, settings) : settings;
  const open = async ({ hostname, port, protocol: inner }: buildConnector.Options): Promise<Socket> => {
    const authorization = await proxy.authorization?.();
    const { Client } = await import("undici");
    const client = new Client(origin, { connect, headersTimeout: settings.timeout, allowH2: false });
    const target = `${hostname}:${port || (inner === "https:" ? "443" : "80")}`;
    try {
      const { statusCode, socket } = await client
        .connect({
          path: target,
          headers: { host: target, ...(authorization !== undefined && { "proxy-authorization": authorization }) },
        })
        .catch((error: unknown) => {
          throw new ProxyUnusable(host, error);
        });
      if (statusCode >= 200 && statusCode < 300 && socket instanceof Socket) return socket;
      socket.on("error", () => undefined).destroy();
      throw new ProxyRefused(host, statusCode);
    } finally {
      // The tunnel does not belong to the client any more.
      client.destroy().catch(() => undefined);
    }
  };
  return (target, callback) => {
    open(target).then(
      (socket) => (over === undefined ? callback(null, socket) : over({ ...target, httpSocket: socket }, callback)),
      (error: Error) => callback(error, null),
    );
  };
}

function textOf(error: unknown): string {
  const inner = error instanceof AggregateError && error.message === "" ? error.errors[0] : error;
  return inner instanceof Error && inner.message !== "" ? inner.message : "unknown error";
}
