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
  const secured = (name: string) => startApiServer((_request, response) => sendJson(response, {}), name);

  test("follows the settings of the server", async () => {
    const server = await secured("localhost");
    await testClient(server.url, { tls: { ca: certificate("ca.pem") } }).api.version(never);
    expect(server.requests).toHaveLength(1);
  });

  // A retry would fail the same way.
  test("names the fingerprint of a refused certificate once and sends nothing", async () => {
    const server = await secured("localhost");
    const tls = { fingerprints: ["0".repeat(64)], fingerprintsVariable: "PRTG_FINGERPRINTS" };
    const { api, recorded } = testClient(server.url, { tls });
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "API_TLS_FINGERPRINT", endpoint: "/version" });
    const { fingerprint256 } = new X509Certificate(certificate("localhost.pem"));
    expect(describeError(error)).toContain(`PRTG_FINGERPRINTS=${fingerprint256}`);
    expect(recorded.codes).toEqual(["/version tls"]);
    expect(server.requests).toHaveLength(0);
  });

  test("logs a warning each day while certificates are unchecked", async () => {
    const server = await secured("prtg.example.com");
    const clock = new ManualClock();
    const { api, logged } = testClient(server.url, { tls: { insecureSkipVerify: true }, clock });
    const warnings = () => logged().filter(({ level }) => level === 40).length;
    await api.version(never);
    expect(warnings()).toBe(0);
    for (const days of [1, 2]) {
      await clock.advance(24 * 60 * 60_000);
      for (let round = 0; round < 3; round++) await api.version(never);
      expect(warnings()).toBe(days);
    }
  });

  test("logs no warning while certificates are checked", async () => {
    const server = await secured("localhost");
    const clock = new ManualClock();
    const { api, logged } = testClient(server.url, { tls: { ca: certificate("ca.pem") }, clock });
    await clock.advance(48 * 60 * 60_000);
    await api.version(never);
    expect(logged().filter(({ level }) => level === 40)).toEqual([]);
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
