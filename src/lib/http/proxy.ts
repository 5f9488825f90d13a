import { Socket } from "node:net";
import type { buildConnector } from "undici";
import { type ConnectSettings, type TlsClientOptions, tlsConnector } from "./tls.ts";

/** A proxy by which all connections go, whatever they carry: each in a tunnel of its own (CONNECT, RFC 9110, 9.3.6). */
export interface ProxyOptions {
  /** `http://proxy.example.com:3128`, without credentials. */
  readonly url: string;
  /** How the proxy itself is trusted, for `https:`. */
  readonly tls?: TlsClientOptions | undefined;
  /** `Proxy-Authorization` as it is now, for each tunnel; left out: none. Its errors are passed on as they are. */
  readonly authorization?: (() => Promise<string>) | undefined;
}

/** The proxy gives no tunnel. No `code`: undici acts on some of those. */
export class ProxyRefused extends Error {
  override readonly name = "ProxyRefused";
  /** Host and port. */
  readonly proxy: string;
  /** Of its answer to CONNECT. */
  readonly status: number;

  constructor(proxy: string, status: number) {
    super(
      status === UNAUTHORIZED
        ? `the proxy ${proxy} refuses the credentials of proxy_auth, or asks for some (407)`
        : `the proxy ${proxy} refuses a connection to the host of the URL (${status})`,
    );
    this.proxy = proxy;
    this.status = status;
  }

  /** Whether other credentials may help. */
  get isUnauthorized(): boolean {
    return this.status === UNAUTHORIZED;
  }
}

/** The proxy cannot be reached, or ends the connection instead of an answer; `cause` says how. */
export class ProxyUnusable extends Error {
  override readonly name = "ProxyUnusable";
  /** Host and port. */
  readonly proxy: string;

  constructor(proxy: string, cause: unknown) {
    super(`no usable connection to the proxy ${proxy}: ${textOf(cause)}`, { cause });
    this.proxy = proxy;
  }
}

const UNAUTHORIZED = 407;

/** Opens tunnels. `over` makes what is to go through them of a tunnel that is there; left out: the tunnel as it is. */
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
      // A tunnel is no longer its own.
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
  return inner instanceof Error && inner.message !== "" ? inner.message : "unknown failure";
}
