import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { describeError } from "../../../src/errors/exporter-error.ts";
import { certificate } from "../../support/certificates.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";
import { sendJson, startApiServer } from "../support/api-server.ts";
import { rawServer } from "../support/raw-server.ts";
import { rejection, testClient } from "../support/test-client.ts";

describe("requests", () => {
  test("name the exporter, request JSON and have the key", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, { version: "25.1" }));
    await testClient(server.url).api.version(never);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      method: "GET",
      path: "/version",
      authorization: "Bearer KEY-4711-SECRET",
    });
    expect(server.requests[0]?.headers).toMatchObject({
      "user-agent": "prtg-exporter/test",
      accept: "application/json",
    });
  });

  test.each(["", "/", "/api/v2", "/api/v2/", "//"])("reach the API if the URL ends in %j", async (end) => {
    const server = await startApiServer((_request, response) => sendJson(response, { version: "25.1" }));
    expect(await testClient(server.url + end).api.version(never)).toEqual(new Map([["version", "25.1"]]));
    expect(server.requests[0]?.url).toBe("/version");
  });

  test("keep the path prefix of a reverse proxy", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}));
    await testClient(`${server.url}/prtg/api/v2`).api.version(never);
    expect(server.requests[0]?.url).toBe("/prtg/api/v2/version");
  });

  test("share connections, at most one per concurrent request", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}));
    const { api } = testClient(server.url, { limits: { concurrency: 2 } });
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 4 }, () => api.version(never)));
    expect(server.requests).toHaveLength(20);
    expect(server.connections()).toBeLessThanOrEqual(2);
  });
});

describe("TLS", () => {
  test("trusts a configured authority", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}), "localhost");
    await testClient(server.url, { tls: { ca: certificate("ca.pem") } }).api.version(never);
    expect(server.requests).toHaveLength(1);
  });

  test("trusts a configured certificate even if an authority signed it", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}), "localhost");
    await testClient(server.url, { tls: { ca: certificate("localhost.pem") } }).api.version(never);
    expect(server.requests).toHaveLength(1);
  });

  test("checks the certificate against serverName", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}), "prtg.example.com");
    const tls = { ca: certificate("prtg.example.com.pem"), serverName: "prtg.example.com" };
    await testClient(server.url, { tls }).api.version(never);
    expect(server.requests).toHaveLength(1);
  });

  test("accepts any certificate if configured", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}), "prtg.example.com");
    await testClient(server.url, { tls: { insecureSkipVerify: true } }).api.version(never);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    {
      certificate: "localhost",
      ca: undefined,
      code: "API_TLS_UNTRUSTED",
      says: /CA is unknown.*tls\.ca_file/,
    },
    { certificate: "prtg.example.com", ca: undefined, code: "API_TLS_UNTRUSTED", says: /self-signed.*tls\.ca_file/ },
    {
      certificate: "prtg.example.com",
      ca: "prtg.example.com.pem",
      code: "API_TLS_UNTRUSTED",
      says: /for another name.*tls\.server_name/,
    },
    { certificate: "expired", ca: "ca.pem", code: "API_TLS_UNTRUSTED", says: /has expired.*Renew the certificate/ },
  ])("rejects $certificate with authority $ca", async ({ certificate: served, ca, code, says }) => {
    const server = await startApiServer((_request, response) => sendJson(response, {}), served);
    const { api, recorded } = testClient(server.url, { tls: { ca: ca === undefined ? undefined : certificate(ca) } });
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code, endpoint: "/version" });
    const told = describeError(error);
    expect(told).toMatch(says);
    const { fingerprint256 } = new X509Certificate(certificate(`${served}.pem`));
    expect(told).toContain(`Its SHA-256 fingerprint is ${fingerprint256}`);
    expect(told).toContain(`tls: { fingerprints: ["${fingerprint256}"] }`);
    expect(server.requests).toHaveLength(0);
    expect(recorded.codes).toEqual(["/version tls"]);
  });

  test("rejects a certificate at each connection, also with a resumable session", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}), "prtg.example.com");
    const { api } = testClient(server.url, { tls: { ca: certificate("prtg.example.com.pem") }, maxAttempts: 1 });
    for (let round = 0; round < 3; round++) {
      expect(await rejection(api.version(never))).toMatchObject({ code: "API_TLS_UNTRUSTED" });
    }
    expect(server.requests).toHaveLength(0);
  });

  test("suggests a wrong scheme if https reaches an http port", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}));
    const error = await rejection(testClient(server.url.replace("http:", "https:")).api.version(never));
    expect(error).toMatchObject({ code: "API_TLS_FAILED" });
    expect(describeError(error)).toContain("1615 is HTTP");
  });

  test("suggests a wrong scheme if http reaches an https port", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}), "localhost");
    const error = await rejection(testClient(server.url.replace("https:", "http:")).api.version(never));
    expect(error).toMatchObject({ code: "API_CONNECTION_FAILED" });
    expect(describeError(error)).toContain("1616 is HTTPS");
  });
});

describe("failed connection", () => {
  test("names the host and the fault if nothing listens", async () => {
    const server = await startApiServer(() => undefined);
    await server.close();
    const { api, recorded } = testClient(server.url);
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "API_CONNECTION_FAILED" });
    expect(error.message).toBe(
      `/version: no usable connection to 127.0.0.1:${server.port}: connection refused (ECONNREFUSED)`,
    );
    expect(recorded.codes).toEqual(Array(3).fill("/version connection"));
  });

  test("names the fault if the name does not resolve", async () => {
    const error = await rejection(testClient("http://does-not-exist.invalid:1615").api.version(never));
    expect(error).toMatchObject({ code: "API_CONNECTION_FAILED" });
    expect(error.message).toMatch(/does-not-exist\.invalid:1615: .*resol/);
  });

  test("names the fault if the server does not speak HTTP", async () => {
    const url = await rawServer((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
    const error = await rejection(testClient(url).api.version(never));
    expect(error).toMatchObject({ code: "API_CONNECTION_FAILED" });
    expect(error.message).toContain("is not HTTP");
  });

  test.each(["000", "099", "101"])("names the fault if the status is %s", async (status) => {
    const answer = `HTTP/1.1 ${status} Odd\r\nContent-Length: 0\r\n\r\n`;
    const url = await rawServer((socket) => socket.once("data", () => socket.end(answer)));
    const { api, logText } = testClient(url);
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "API_CONNECTION_FAILED" });
    expect(error.message).toMatch(/^\/version: the answer of 127\.0\.0\.1:\d+ is not HTTP$/);
    expect(`${describeError(error)} ${logText()}`).not.toContain("assert");
  });
});

describe("incomplete and slow answers", () => {
  test.each([
    { form: "counted", head: "Content-Length: 100\r\n\r\n[1," },
    { form: "chunked", head: "Transfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n" },
  ])("fail completely with a truncated $form body", async ({ head }) => {
    const url = await rawServer((socket) =>
      socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${head}`)),
    );
    const error = await rejection(testClient(url).api.nodes("sensor", {}, never));
    expect(error).toMatchObject({ code: "API_CONNECTION_FAILED" });
    expect(error.message).toContain("before the answer was complete");
  });

  test("end at the size limit", async () => {
    let sent = 0;
    const server = await startApiServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const write = (): void => {
        if (response.destroyed || sent > 50_000_000) return;
        sent += 65_536;
        response.write(" ".repeat(65_536), write);
      };
      write();
    });
    const { api, recorded } = testClient(server.url, { limits: { maxResponseBytes: 200_000 } });
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "API_RESPONSE_TOO_LARGE" });
    expect(error.message).toBe("/version: the answer exceeds 200000 bytes (limits.max_response_size)");
    expect(recorded.codes).toEqual(["/version too_large"]);
    expect(sent).toBeLessThan(50_000_000);
  });

  test("fail at the deadline while data still drips", async () => {
    let dripped = 0;
    const server = await startApiServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "x-request-id": "slow-1" });
      const timer = setInterval(() => {
        dripped++;
        response.write(" ");
      }, 10);
      response.on("close", () => clearInterval(timer));
    });
    // Bytes drip in real time. The deadline comes after a while on any machine.
    const clock = new ManualClock();
    const limits = { timeoutMs: 400, totalTimeoutMs: 500 };
    const { api, recorded, logged } = testClient(server.url, { clock, limits });
    const failed = rejection(api.nodes("probe", {}, never));
    await waitUntil(() => dripped > 10);
    await clock.advance(399);
    expect(recorded.codes).toEqual([]);
    const before = dripped;
    await waitUntil(() => dripped > before + 3);
    await clock.advance(1);
    await waitUntil(() => recorded.codes.length > 0);
    expect(recorded.codes).toEqual(["/experimental/probes timeout"]);
    // Smaller pages drip too.
    let isOver = false;
    void failed.finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(400);
    expect(await failed).toMatchObject({ code: "API_TIMEOUT" });
    expect(logged()[0]).toMatchObject({ endpoint: "/experimental/probes", status: "timeout", request_id: "slow-1" });
  });

  test("use the given clock for the deadline of one attempt", async () => {
    const clock = new ManualClock();
    const server = await startApiServer(() => undefined);
    const { api } = testClient(server.url, { clock, limits: { timeoutMs: 30_000, totalTimeoutMs: 50_000 } });
    const failed = rejection(api.version(never));
    await waitUntil(() => server.requests.length === 1);
    await clock.advance(29_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await waitUntil(() => server.requests.length === 2);
    await clock.advance(20_000);
    const error = await failed;
    expect(error).toMatchObject({ code: "API_TIMEOUT" });
    expect(describeError(error)).toContain(
      "no answer within 50 s, including retries: /version: no complete answer within 30 s",
    );
  });

  test("end with the reason of the caller's signal", async () => {
    const server = await startApiServer(() => undefined);
    const { api, recorded } = testClient(server.url);
    const caller = new AbortController();
    const failed = rejection(api.version(caller.signal));
    await waitUntil(() => server.requests.length === 1);
    const reason = new Error("the run took too long");
    caller.abort(reason);
    expect(await failed).toBe(reason);
    expect(recorded.codes).toEqual(["/version aborted"]);
  });
});

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
