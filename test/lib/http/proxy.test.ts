import { lookup } from "node:dns";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createServer as createSecureServer } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ProxyOptions, ProxyRefused, ProxyUnusable, proxyConnector } from "../../../src/lib/http/proxy.ts";
import { type ConnectSettings, tlsConnector, UntrustedCertificate } from "../../../src/lib/http/tls.ts";
import { certificate, keyPair } from "../../support/certificates.ts";
import { startProxy } from "../../support/connect-proxy.ts";

const SETTINGS: ConnectSettings = { timeout: 30_000, autoSelectFamilyAttemptTimeout: 10_000, lookup };
const CA = { ca: certificate("ca.pem") };

/** Calls `use` for each connection. Resolves with its port. */
async function listen(use: (socket: Socket) => void, isSecure = false): Promise<string> {
  const server = isSecure ? createSecureServer(keyPair("localhost"), use) : createServer(use);
  server.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return String((server.address() as AddressInfo).port);
}

const greet = (socket: Socket) => void socket.on("error", () => undefined).end("hello");

interface Target {
  readonly hostname?: string;
  readonly protocol?: "http:" | "https:";
  readonly port: string;
}

function open(proxy: ProxyOptions, { hostname = "127.0.0.1", protocol = "http:", port }: Target, tls = CA) {
  const over = protocol === "https:" ? tlsConnector(tls, SETTINGS) : undefined;
  const connect = proxyConnector(proxy, SETTINGS, over);
  return new Promise<Socket>((resolve, reject) => {
    connect({ hostname, host: `${hostname}:${port}`, protocol, port }, (...[error, socket]) =>
      error === null ? resolve(socket) : reject(error),
    );
  });
}

function failure(opening: Promise<Socket>): Promise<unknown> {
  return opening.then(
    () => "connected",
    (error: unknown) => error,
  );
}

describe("proxyConnector", () => {
  test.each([
    ["http", undefined],
    ["https", "localhost"],
  ])("connects to a server through an %s proxy", async (_scheme, secured) => {
    const port = await listen(greet);
    const proxy = await startProxy(secured === undefined ? {} : { certificate: secured });
    expect(await text(await open({ url: proxy.url, tls: CA }, { port }))).toBe("hello");
    expect(proxy.tunnels).toEqual([{ target: `127.0.0.1:${port}`, credentials: undefined }]);
    expect(proxy.others).toEqual([]);
  });

  test("encrypts the tunnel and checks the certificate of the server in it", async () => {
    const port = await listen(greet, true);
    const { url } = await startProxy();
    expect(await text(await open({ url }, { port, protocol: "https:" }))).toBe("hello");
    const other = { ca: certificate("prtg.example.com.pem") };
    expect(await failure(open({ url }, { port, protocol: "https:" }, other))).toBeInstanceOf(UntrustedCertificate);
  });

  test("refuses the certificate of a proxy that it does not trust", async () => {
    const proxy = await startProxy({ certificate: "localhost" });
    const error = await failure(open({ url: proxy.url, tls: {} }, { port: "1616" }));
    expect(error).toMatchObject({ name: "ProxyUnusable", cause: expect.any(UntrustedCertificate) });
    expect(proxy.tunnels).toEqual([]);
  });

  test.each([
    ["http:", "80"],
    ["https:", "443"],
  ] as const)("asks for the default port of %s", async (protocol, port) => {
    const proxy = await startProxy({ refuse: 403 });
    await failure(open({ url: proxy.url }, { hostname: "prtg.example.com", protocol, port: "" }));
    expect(proxy.tunnels).toEqual([{ target: `prtg.example.com:${port}`, credentials: undefined }]);
  });

  test("sends the current credentials with each tunnel", async () => {
    const port = await listen(greet);
    const proxy = await startProxy({ credentials: "exporter:new" });
    let password = "old";
    const authorization = async () => `Basic ${Buffer.from(`exporter:${password}`).toString("base64")}`;
    const error = await failure(open({ url: proxy.url, authorization }, { port }));
    expect(error).toBeInstanceOf(ProxyRefused);
    expect(error).toMatchObject({
      isUnauthorized: true,
      message: `the proxy ${proxy.host} requires credentials, or rejects those of proxy_auth (407)`,
    });
    password = "new";
    expect(await text(await open({ url: proxy.url, authorization }, { port }))).toBe("hello");
    expect(proxy.tunnels.map(({ credentials }) => credentials)).toEqual(["exporter:old", "exporter:new"]);
  });

  test("names the status with which the proxy refuses a tunnel", async () => {
    const { url, host } = await startProxy({ refuse: 503 });
    expect(await failure(open({ url }, { port: "1616" }))).toMatchObject({
      ...{ name: "ProxyRefused", proxy: host, status: 503, isUnauthorized: false },
      message: `the proxy ${host} refuses a connection to the host of the URL (503)`,
    });
  });

  test("names a proxy that closes the connection", async () => {
    const port = await listen((socket) => void socket.destroy());
    const host = `127.0.0.1:${port}`;
    const error = await failure(open({ url: `http://${host}` }, { port: "1616" }));
    expect(error).toMatchObject({
      ...{ name: "ProxyUnusable", proxy: host, cause: expect.any(Error) },
      message: expect.stringContaining(`no usable connection to the proxy ${host}: `),
    });
  });
});

describe("ProxyUnusable", () => {
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:3128");
  test.each([
    ["an error", refused, refused.message],
    // Node.js tried several addresses.
    ["the first of several errors", new AggregateError([refused, new Error("second")], ""), refused.message],
    ["a message for several errors", new AggregateError([refused], "no address works"), "no address works"],
    ["an error without a message", new Error(""), "unknown error"],
    ["something else", "odd", "unknown error"],
  ])("shows %s and keeps it as cause", (_title, cause, shown) => {
    const error = new ProxyUnusable("proxy.example.com:3128", cause);
    expect(error.message).toBe(`no usable connection to the proxy proxy.example.com:3128: ${shown}`);
    expect(error.cause).toBe(cause);
  });
});
