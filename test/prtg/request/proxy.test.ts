import { describe, expect, test, vi } from "vitest";
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
  test("carries many requests", async () => {
    const api = await server("localhost");
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

  test("fails with 407 without a retry, and works with new credentials", async () => {
    const api = await server();
    const proxy = await startProxy({ credentials: CREDENTIALS });
    let password = "wrong";
    const authorization = async () => basic(`exporter:${password}`);
    const client = testClient(api.url, { proxy: { url: proxy.url, authorization } });
    const error = await rejection(client.api.version(never));
    expect(error).toMatchObject({ code: "API_PROXY_UNAUTHORIZED", endpoint: "/version" });
    expect(proxy.tunnels).toHaveLength(1);
    password = PASSWORD;
    expect(await client.api.version(never)).toEqual(ANSWER);
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
