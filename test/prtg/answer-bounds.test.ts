import { describe, expect, test } from "vitest";
import { MAX_DEPTH, MAX_SMALL_ANSWER_BYTES } from "../../src/prtg/answer-bounds.ts";
import { never } from "../support/never-aborted.ts";
import { sendJson, startApiServer } from "./support/api-server.ts";
import { floodServer } from "./support/raw-server.ts";
import { rejection, testClient } from "./support/test-client.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";
const LARGE = { limits: { maxResponseBytes: 1_000_000_000 } };

describe("answer about the whole server", () => {
  test.each([
    { endpoint: "/version", head: `${OK}${JSON_TYPE}\r\n[{}`, unit: ",{}" },
    { endpoint: "/version", head: `${OK}${JSON_TYPE}\r\n`, unit: "[" },
    { endpoint: "/health", head: `${OK}${JSON_TYPE}\r\n"`, unit: "x" },
    { endpoint: "/objects/count", head: `${OK}${JSON_TYPE}\r\n{"a":[1`, unit: ",1" },
    { endpoint: "/sensor-status-summary", head: `${OK}${JSON_TYPE}\r\n`, unit: " " },
  ])("has a limit of a megabyte: $endpoint, $unit", async ({ endpoint, head, unit }) => {
    const flood = await floodServer(head, unit);
    const { api } = testClient(flood.url, LARGE);
    const calls: Record<string, () => Promise<unknown>> = {
      "/version": () => api.version(never),
      "/health": () => api.health(never),
      "/objects/count": () => api.objectCounts(never),
      "/sensor-status-summary": () => api.statusSummary(never),
    };
    const error = await rejection(calls[endpoint]?.() ?? Promise.resolve());
    expect(error).toMatchObject({ code: "API_RESPONSE_TOO_LARGE", endpoint });
    expect(error.message).toContain(`exceeds ${MAX_SMALL_ANSWER_BYTES} bytes`);
    expect(flood.sentBytes()).toBeLessThan(16_000_000);
  });

  test("has a limit for nesting", async () => {
    const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
    const server = await startApiServer((_request, response) => sendJson(response, nested(MAX_DEPTH)));
    const { api } = testClient(server.url, { maxAttempts: 1 });
    expect(await api.version(never)).toEqual(new Map());
    server.handle((_request, response) => sendJson(response, nested(MAX_DEPTH + 1)));
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "API_NOT_JSON" });
    expect(error.message).toContain(`nested deeper than ${MAX_DEPTH} levels`);
    server.handle((_request, response) => sendJson(response, { version: `25.1 " ${"[".repeat(100)}` }));
    expect((await api.version(never)).size).toBe(1);
  });
});

describe("unneeded parts of an answer", () => {
  test("include the rest of an endless error", async () => {
    const message = `{"code":"BAD_REQUEST","message":"no"}`;
    const flood = await floodServer(`HTTP/1.1 400 Bad Request\r\n${JSON_TYPE}\r\n${message}`, " ");
    const error = await rejection(testClient(flood.url, LARGE).api.nodes("sensor", {}, never));
    expect(error).toMatchObject({ code: "API_BAD_REQUEST", httpStatus: 400, serverCode: "BAD_REQUEST" });
    expect(flood.sentBytes()).toBeLessThan(16_000_000);
  });

  test.each(["compress", "gzip, gzip"])("include an unknown encoding: %s", async (encoding) => {
    const flood = await floodServer(`${OK}${JSON_TYPE}Content-Encoding: ${encoding}\r\n\r\n`, "\u001f\u008b");
    const { api, recorded } = testClient(flood.url, { ...LARGE, maxAttempts: 1 });
    const error = await rejection(api.nodes("sensor", {}, never));
    expect(error).toMatchObject({ code: "API_NOT_JSON", httpStatus: 200 });
    expect(error.message).toContain(encoding);
    expect(recorded.bytes).toBe(0);
    expect(flood.sentBytes()).toBeLessThan(16_000_000);
  });

  test.each([
    { what: "headers", head: OK, unit: "X-More: 1\r\n", says: "headers of the answer are too large" },
    { what: "cookies", head: OK, unit: "Set-Cookie: a=b\r\n", says: "headers of the answer are too large" },
    { what: "one header", head: `${OK}X-Long: `, unit: "x", says: "headers of the answer are too large" },
    { what: "interim answers", head: "", unit: "HTTP/1.1 103 Early Hints\r\n\r\n", says: "interim answers" },
    { what: "100 Continue", head: "", unit: "HTTP/1.1 100 Continue\r\n\r\n", says: "" },
  ])("include $what without end", async ({ head, unit, says }) => {
    const flood = await floodServer(head, unit);
    const error = await rejection(testClient(flood.url, { ...LARGE, maxAttempts: 1 }).api.version(never));
    expect(error).toMatchObject({ code: "API_CONNECTION_FAILED" });
    expect(error.message).toContain(says);
    expect(flood.sentBytes()).toBeLessThan(16_000_000);
  });

  test("include a list of another type", async () => {
    const flood = await floodServer(`${OK}Content-Type: text/html\r\n\r\n<html>`, "x");
    const error = await rejection(testClient(flood.url, { ...LARGE, maxAttempts: 1 }).api.nodes("group", {}, never));
    expect(error).toMatchObject({ code: "API_NOT_JSON" });
    expect(error.message).toContain("an answer of type text/html instead of JSON");
    expect(flood.sentBytes()).toBeLessThan(16_000_000);
  });

  test("include an invalid list", async () => {
    const flood = await floodServer(`${OK}${JSON_TYPE}\r\n"`, "x");
    const error = await rejection(testClient(flood.url, { ...LARGE, maxAttempts: 1 }).api.nodes("group", {}, never));
    expect(error).toMatchObject({ code: "API_NOT_JSON" });
    expect(flood.sentBytes()).toBeLessThan(16_000_000);
  });
});

test("include a redirect, for any number of times", async () => {
  const server = await startApiServer(({ url }, response) => {
    response.writeHead(307, { location: `/api/v2${url}` }).end();
  });
  expect(await rejection(testClient(server.url).api.version(never))).toMatchObject({ code: "API_REDIRECTED" });
  expect(server.requests).toHaveLength(1);
});
