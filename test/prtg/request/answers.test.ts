import { describe, expect, test } from "vitest";
import { describeError } from "../../../src/errors/exporter-error.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";
import { sendError, sendJson, startApiServer } from "../support/api-server.ts";
import { API_KEY, rejection, testClient } from "../support/test-client.ts";

describe("error answers", () => {
  test.each([
    { status: 400, serverCode: "INVALID_FILTER", code: "API_BAD_REQUEST" },
    { status: 401, serverCode: "AUTH_FAILED", code: "API_UNAUTHORIZED" },
    { status: 400, serverCode: "AUTH_FAILED", code: "API_UNAUTHORIZED" },
    { status: 403, serverCode: "FORBIDDEN", code: "API_FORBIDDEN" },
    { status: 404, serverCode: "NOT_FOUND", code: "API_NOT_FOUND" },
    { status: 405, serverCode: "UNKNOWN", code: "API_NOT_FOUND" },
    { status: 501, serverCode: "METHOD_NOT_IMPLEMENTED", code: "API_NOT_FOUND" },
    { status: 400, serverCode: "METHOD_NOT_IMPLEMENTED", code: "API_NOT_FOUND" },
    { status: 408, serverCode: "EXECUTION_TIMEOUT", code: "API_EXECUTION_TIMEOUT" },
    { status: 500, serverCode: "EXECUTION_TIMEOUT", code: "API_EXECUTION_TIMEOUT" },
    { status: 429, serverCode: "UNKNOWN", code: "API_RATE_LIMITED" },
    { status: 500, serverCode: "INTERNAL_ERROR", code: "API_SERVER_ERROR" },
    { status: 507, serverCode: "UNKNOWN", code: "API_SERVER_ERROR" },
    { status: 502, serverCode: "BAD_GATEWAY", code: "API_UNAVAILABLE" },
    { status: 503, serverCode: "SERVICE_UNAVAILABLE", code: "API_UNAVAILABLE" },
    { status: 503, serverCode: "LICENSE_INACTIVE", code: "API_LICENSE_INACTIVE" },
    { status: 504, serverCode: "GATEWAY_TIMEOUT", code: "API_UNAVAILABLE" },
  ])("$status $serverCode gives $code", async ({ status, serverCode, code }) => {
    const server = await startApiServer((_request, response) => sendError(response, status, serverCode, "the details"));
    const error = await rejection(testClient(server.url).api.version(never));
    expect(error).toMatchObject({ code, endpoint: "/version", httpStatus: status, serverCode, requestId: "request-1" });
    expect(error.message).toBe(`/version: HTTP ${status} ${serverCode}: the details`);
  });

  test("use the request ID of the body if no header has it", async () => {
    const server = await startApiServer((_request, response) => {
      response.writeHead(403, { "content-type": "application/json" });
      response.end(JSON.stringify({ code: "FORBIDDEN", message: "no", request_id: "in-the-body" }));
    });
    const { api, logged } = testClient(server.url);
    expect(await rejection(api.version(never))).toMatchObject({ requestId: "in-the-body" });
    expect(logged()[0]).toMatchObject({ request_id: "in-the-body", status: "403" });
  });

  test.each([
    "invalid session token or API token format",
    "Invalid API token",
    "The session token is malformed: bad API key",
    "missing or expired bearer token",
  ])("reject the key with 400 and %j", async (message) => {
    const server = await startApiServer((_request, response) => sendError(response, 400, "BAD_REQUEST", message));
    const error = await rejection(testClient(server.url).api.version(never));
    expect(error).toMatchObject({ code: "API_UNAUTHORIZED", httpStatus: 400, serverCode: "BAD_REQUEST" });
    expect(describeError(error)).toContain("Check the API key");
  });

  test("reject the key with 400 in plain text", async () => {
    const server = await startApiServer((_request, response) => {
      response.writeHead(400, { "content-type": "text/plain" });
      response.end("invalid session token or API token format");
    });
    const error = await rejection(testClient(server.url).api.version(never));
    expect(error).toMatchObject({ code: "API_UNAUTHORIZED" });
  });

  test.each(["include: invalid section", "format of limit: invalid", "unknown key of a filter"])(
    "report wrong parameters with 400 and %j",
    async (message) => {
      const server = await startApiServer((_request, response) => sendError(response, 400, "BAD_REQUEST", message));
      const error = await rejection(testClient(server.url).api.version(never));
      expect(error).toMatchObject({ code: "API_BAD_REQUEST" });
    },
  );

  const CLASSIC = "Unsupported authorization scheme";
  test.each([
    { form: "a page", type: "text/html", body: `<h1>401 ${CLASSIC}</h1>` },
    { form: "text", type: "text/plain", body: CLASSIC },
    { form: "XML", type: "text/xml", body: `<prtg><error>${CLASSIC}</error></prtg>` },
    { form: "JSON", type: "application/json", body: JSON.stringify({ message: CLASSIC }) },
    { form: "the status line", type: "text/html", body: "", statusText: CLASSIC },
  ])("have a special error for the classic port: $form", async ({ type, body, statusText }) => {
    const server = await startApiServer((_request, response) => {
      response.writeHead(401, statusText, { "content-type": type });
      response.end(body);
    });
    const { api } = testClient(server.url);
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "API_WRONG_PORT", httpStatus: 401 });
    expect(describeError(error)).toContain("API v2 listens on 1616");
    // The key is valid.
    expect(server.requests).toHaveLength(1);
  });

  test("point to the port if the form is not that of API v2", async () => {
    const server = await startApiServer((_request, response) => {
      response.writeHead(401, { "content-type": "text/html" });
      response.end("<h1>Go away</h1>");
    });
    const error = await rejection(testClient(server.url).api.version(never));
    expect(error.message).toBe("/version: HTTP 401 (an answer of type text/html)");
    expect(describeError(error)).toContain("API v2 listens on 1616");
    const login = { kind: "login", username: "u", password: async () => "a-password" } as const;
    const failure = await rejection(testClient(server.url, { auth: login }).api.version(never));
    expect(failure).toMatchObject({ code: "API_LOGIN_FAILED" });
    expect(describeError(failure)).toContain("API v2 listens on 1616");
  });

  test("appear as one short line", async () => {
    const message = `first\r\n\x1b[31msecond\u202e\u200b${"x".repeat(10_000)}`;
    const server = await startApiServer((_request, response) => sendError(response, 400, "BAD_REQUEST", message));
    const error = await rejection(testClient(server.url).api.version(never));
    expect(error.message).toMatch(/^\/version: HTTP 400 BAD_REQUEST: first \[31msecond x+…$/);
    expect(error.message.length).toBeLessThan(400);
  });

  test("never repeat an echoed key, and neither does the log", async () => {
    const echo = `bad token Bearer ${API_KEY} and ${"y".repeat(270)}${API_KEY}`;
    const server = await startApiServer((_request, response) => sendError(response, 403, "FORBIDDEN", echo));
    const { api, logText } = testClient(server.url);
    const error = await rejection(api.version(never));
    expect(error.message).toContain("[redacted]");
    for (const text of [describeError(error), JSON.stringify(error), String(error.stack), logText()]) {
      expect(text).not.toContain("4711");
    }
    expect(logText()).toContain("request failed");
  });
});

describe("redirects", () => {
  test.each([
    { location: "https://prtg.example.com/public/login.htm?secret=1", to: "prtg.example.com" },
    { location: "https://prtg.example.com:8443/", to: "prtg.example.com:8443" },
    { location: "/public/login.htm", to: "another page of the same server" },
  ])("fail to $location", async ({ location, to }) => {
    const server = await startApiServer((_request, response) => {
      response.writeHead(302, { location, "content-type": "text/html" });
      response.end("<a>moved</a>");
    });
    const error = await rejection(testClient(server.url).api.nodes("sensor", {}, never));
    expect(error).toMatchObject({ code: "API_REDIRECTED", httpStatus: 302 });
    expect(error.message).toBe(`/experimental/sensors: HTTP 302 redirect to ${to}`);
    expect(describeError(error)).toContain("API v2 listens on 1616");
    expect(server.requests).toHaveLength(1);
  });
});

describe("answers other than JSON of API v2", () => {
  test.each([
    { what: "a page", type: "text/html; charset=utf-8", body: "<html></html>", says: "an answer of type text/html" },
    { what: "a page of valid JSON", type: "text/html", body: "[]", says: "an answer of type text/html" },
    { what: "XML", type: "application/xml", body: "<a/>", says: "an answer of type application/xml" },
    { what: "cut JSON", type: "application/json", body: '[{"id":"1"', says: "10 bytes that is not valid JSON" },
    { what: "no JSON", type: "text/plain", body: "hello", says: "5 bytes that is not valid JSON" },
    { what: "an object", type: "application/json", body: '{"items":[]}', says: "an answer that is not a list" },
    { what: "nothing", type: "application/json", body: "", says: "an answer that is not a list" },
  ])("include $what instead of a list", async ({ type, body, says }) => {
    const server = await startApiServer((_request, response) => {
      response.writeHead(200, { "content-type": type });
      response.end(body);
    });
    const error = await rejection(testClient(server.url).api.nodes("sensor", {}, never));
    expect(error).toMatchObject({ code: "API_NOT_JSON", httpStatus: 200 });
    expect(error.message).toContain(says);
  });

  test("are not quoted, because their text can contain anything", async () => {
    const server = await startApiServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end("private-matter");
    });
    const error = await rejection(testClient(server.url).api.version(never));
    expect(describeError(error)).not.toContain("private");
  });

  test("include an unknown encoding", async () => {
    const server = await startApiServer((_request, response) =>
      sendJson(response, [], { headers: { "content-encoding": "gzip" } }),
    );
    const error = await rejection(testClient(server.url).api.version(never));
    expect(error).toMatchObject({ code: "API_NOT_JSON" });
    expect(error.message).toContain("gzip");
  });

  test.each([undefined, "text/plain", "application/octet-stream", "application/vnd.prtg+json", "Application/JSON"])(
    "permit valid JSON of type %s",
    async (type) => {
      const server = await startApiServer((_request, response) => {
        response.writeHead(200, type === undefined ? {} : { "content-type": type });
        response.end('\uFEFF{"version":"25.1"}');
      });
      expect(await testClient(server.url).api.version(never)).toEqual(new Map([["version", "25.1"]]));
    },
  );
});

describe("GET /health", () => {
  test("needs no authentication", async () => {
    const server = await startApiServer((_request, response) => response.writeHead(204).end());
    await testClient(server.url).api.health(never);
    expect(server.requests[0]).toMatchObject({ path: "/health", authorization: undefined });
  });

  test("fails on a page that another server sends for every path", async () => {
    const server = await startApiServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<html></html>");
    });
    expect(await rejection(testClient(server.url).api.health(never))).toMatchObject({ code: "API_NOT_JSON" });
  });

  test("reports an inactive license", async () => {
    const server = await startApiServer((_request, response) => sendError(response, 503, "LICENSE_INACTIVE"));
    expect(await rejection(testClient(server.url).api.health(never))).toMatchObject({ code: "API_LICENSE_INACTIVE" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("clock of the server", () => {
  test("comes from the Date header, to about a second", async () => {
    // Answers take no time here.
    const clock = new ManualClock(Date.UTC(2026, 0, 15, 12, 0, 0, 900));
    const ahead = new Date(clock.now() + 3_600_000).toUTCString();
    const server = await startApiServer((_request, response) => sendJson(response, {}, { headers: { date: ahead } }));
    const { api } = testClient(server.url, { clock });
    expect(api.clockOffset()).toBe(0);
    for (let answers = 0; answers < 3; answers++) await api.version(never);
    // The header has whole seconds.
    expect(Math.abs(api.clockOffset() - 3_600_000)).toBeLessThanOrEqual(500);
  });

  test.each([
    ["an error", { status: 500 }, {}],
    ["an answer out of a cache", { status: 200 }, { age: "7200" }],
  ])("does not come from %s", async (_, { status }, more) => {
    const clock = new ManualClock();
    const headers = { date: new Date(clock.now() - 2 * 3_600_000).toUTCString(), ...more };
    const server = await startApiServer((_request, response) => {
      response.writeHead(status, { "content-type": "application/json", ...headers }).end("{}");
    });
    const { api } = testClient(server.url, { clock, maxAttempts: 1 });
    for (let answers = 0; answers < 4; answers++) await api.version(never).catch(() => undefined);
    expect(api.clockOffset()).toBe(0);
    expect(api.isClockInDoubt()).toBe(false);
  });

  test("stays known after an answer with a missing or bad header", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}, { headers: { date: "noon" } }));
    const { api } = testClient(server.url);
    await api.version(never);
    expect(api.clockOffset()).toBe(0);
  });
});

test("every log line of a request has endpoint, status, duration and request ID", async () => {
  let failures = 1;
  const server = await startApiServer((_request, response) => {
    if (failures-- > 0) sendError(response, 503, "SERVICE_UNAVAILABLE");
    else sendJson(response, { version: "25.1" });
  });
  const { api, logged } = testClient(server.url);
  await api.version(never);
  expect(logged()).toMatchObject([
    {
      endpoint: "/version",
      status: "503",
      duration_ms: expect.any(Number),
      request_id: "request-1",
      msg: "request failed",
    },
    { endpoint: "/version", attempt: 1, request_id: "request-1", msg: "request failed: retrying" },
    {
      endpoint: "/version",
      status: "200",
      duration_ms: expect.any(Number),
      request_id: "request-1",
      msg: "request answered",
    },
  ]);
});
