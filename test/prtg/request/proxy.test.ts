import { X509Certificate } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { describeError } from "../../../src/errors/exporter-error.ts";
import type { ProxyOptions } from "../../../src/lib/http/proxy.ts";
import { certificate } from "../../support/certificates.ts";
import { startProxy } from "../../support/connect-proxy.ts";
import { never } from "../../support/never-aborted.ts";
import { sendJson, startApiServer } from "../support/api-server.ts";
import { rejection, testClient } from "../support/test-client.ts";

const PASSWORD = "proxy-s3cret";
const CREDENTIALS = `exporter:${PASSWORD}`;
const VERSION = { version: "25.1" };
const ANSWER = new Map([["version", "25.1"]]);
const CA = { ca: certificate("ca.pem") };

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`;
const server = (secure?: string) => startApiServer((_request, response) => sendJson(response, VERSION), secure);
const hostOf = (url: string) => new URL(url).host;

describe("tunnel", () => {
  test.each(["http", "https"] as const)("carries many requests over %s", async (scheme) => {
    const api = await server(scheme === "https" ? "localhost" : undefined);
    const proxy = await startProxy();
    const client = testClient(api.url, { tls: CA, proxy: { url: proxy.url } });
    for (let round = 0; round < 12; round++) expect(await client.api.version(never)).toEqual(ANSWER);
    expect(api.requests).toHaveLength(12);
    expect(proxy.tunnels[0]).toEqual({ target: hostOf(api.url), credentials: undefined });
    // At most the concurrency limit.
    expect(proxy.tunnels.length).toBeLessThanOrEqual(4);
    expect(proxy.tunnels).toHaveLength(api.connections());
    expect(proxy.others).toEqual([]);
  });

  test("uses credentials, which only the proxy receives", async () => {
    const api = await server("localhost");
    const proxy = await startProxy({ credentials: CREDENTIALS });
    const authorization = async () => basic(CREDENTIALS);
    const client = testClient(api.url, { tls: CA, proxy: { url: proxy.url, authorization } });
    expect(await client.api.version(never)).toEqual(ANSWER);
    expect(proxy.tunnels).toEqual([{ target: hostOf(api.url), credentials: CREDENTIALS }]);
    expect(JSON.stringify(api.requests.map(({ headers }) => headers))).not.toContain(basic(CREDENTIALS).slice(6));
  });

  test("works through a TLS proxy with a separate authority", async () => {
    const api = await server("localhost");
    const proxy = await startProxy({ certificate: "localhost", credentials: CREDENTIALS });
    const authorization = async () => basic(CREDENTIALS);
    const options: ProxyOptions = { url: proxy.url, tls: CA, authorization };
    expect(await testClient(api.url, { tls: CA, proxy: options }).api.version(never)).toEqual(ANSWER);
    const error = await rejection(testClient(api.url, { tls: CA, proxy: { url: proxy.url } }).api.version(never));
    const { fingerprint256 } = new X509Certificate(certificate("localhost.pem"));
    expect(error).toMatchObject({ code: "API_PROXY_FAILED" });
    expect(error.message).toContain(`the certificate of the proxy ${proxy.host} is not trusted`);
    expect(error.message).toContain(fingerprint256);
    expect(describeError(error)).toContain("proxy_ca_file");
  });

  test("verifies the server's certificate", async () => {
    const api = await server("localhost");
    const proxy = await startProxy();
    const error = await rejection(testClient(api.url, { proxy: { url: proxy.url } }).api.version(never));
    expect(error).toMatchObject({ code: "API_TLS_UNTRUSTED" });
    expect(error.message).toContain(`the certificate of ${hostOf(api.url)} is not trusted`);
    expect(api.requests).toHaveLength(0);
  });
});

describe("failing tunnel", () => {
  test("gives 407 a separate error without retries, and works with new credentials", async () => {
    const api = await server();
    const proxy = await startProxy({ credentials: CREDENTIALS });
    let password = "wrong";
    const authorization = async () => basic(`exporter:${password}`);
    const client = testClient(api.url, { proxy: { url: proxy.url, authorization } });
    const error = await rejection(client.api.version(never));
    expect(error).toMatchObject({ code: "API_PROXY_UNAUTHORIZED", endpoint: "/version" });
    expect(describeError(error)).toContain("username and password_file in proxy_auth");
    expect(proxy.tunnels).toHaveLength(1);
    password = PASSWORD;
    expect(await client.api.version(never)).toEqual(ANSWER);
  });

  test.each([403, 503])("%s names the proxy and the host", async (refuse) => {
    const api = await server();
    const proxy = await startProxy({ refuse });
    const error = await rejection(testClient(api.url, { proxy: { url: proxy.url } }).api.version(never));
    expect(error).toMatchObject({ code: "API_PROXY_FAILED" });
    expect(error.message).toBe(
      `/version: the proxy ${proxy.host} refuses a connection to ${hostOf(api.url)}: HTTP ${refuse}`,
    );
    expect(describeError(error)).toContain("allows CONNECT to its port");
  });

  test("names a proxy that is down, and recovers", async () => {
    const api = await server();
    const proxy = await startProxy();
    await proxy.close();
    const { api: client, recorded } = testClient(api.url, { proxy: { url: proxy.url } });
    const error = await rejection(client.version(never));
    expect(error).toMatchObject({ code: "API_PROXY_FAILED" });
    expect(error.message).toBe(
      `/version: no usable connection to the proxy ${proxy.host}: connection refused (ECONNREFUSED)`,
    );
    expect(recorded.codes).toEqual(Array(3).fill("/version connection"));
  });

  test("rejects a server that is not a proxy", async () => {
    const api = await server();
    const { url } = await server("localhost");
    const error = await rejection(
      testClient(api.url, { proxy: { url: url.replace("https:", "http:") } }).api.version(never),
    );
    expect(error).toMatchObject({ code: "API_PROXY_FAILED" });
  });
});

test("the client ignores proxy variables of the environment", async () => {
  const api = await server();
  const proxy = await startProxy();
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"]) {
    vi.stubEnv(name, proxy.url);
  }
  expect(await testClient(api.url).api.version(never)).toEqual(ANSWER);
  expect(proxy.tunnels).toEqual([]);
  vi.unstubAllEnvs();
});
