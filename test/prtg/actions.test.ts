import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { type Handler, type SeenRequest, sendError, sendJson, startApiServer } from "./support/api-server.ts";
import { rejection, testClient } from "./support/test-client.ts";

const ONE_HOUR = { durationSeconds: 3_600, message: "ops: reboot (silence 4711)" };
const PATH = "/sensors/2003/acknowledge";

const done: Handler = (_request, response) => response.writeHead(204).end();

function refuse(status: number, code: string, headers: Record<string, string> = {}): Handler {
  return (_request, response) => sendError(response, status, code, "it did not work", headers);
}

/** Answers acknowledgements in turn, then with 204. All other requests work. */
async function acknowledging(answers: readonly Handler[], overrides: Parameters<typeof testClient>[1] = {}) {
  const left = [...answers];
  let logins = 0;
  const sent: SeenRequest[] = [];
  const server = await startApiServer((request, response) => {
    if (request.method !== "POST") return sendJson(response, { version: "25.1" });
    if (request.path === "/session") return sendJson(response, { token: `token-${++logins}` });
    sent.push(request);
    return (left.shift() ?? done)(request, response);
  });
  const client = testClient(server.url, overrides);
  const acknowledge = (id = "2003", signal = never) => client.api.actions.acknowledge(id, ONE_HOUR, signal);
  return { ...client, server, sent, acknowledge };
}

describe("acknowledge", () => {
  test("sends duration and message, with the credentials of all requests", async () => {
    const { acknowledge, sent, recorded } = await acknowledging([]);
    expect(await acknowledge()).toBe("done");
    expect(sent).toMatchObject([{ method: "POST", url: PATH, authorization: "Bearer KEY-4711-SECRET" }]);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ duration: 3_600, message: ONE_HOUR.message });
    expect(recorded.codes).toEqual(["/sensors/{id}/acknowledge 204"]);
  });

  test("escapes the id", async () => {
    const { acknowledge, sent } = await acknowledging([]);
    await acknowledge("1/2");
    expect(sent.map(({ url }) => url)).toEqual(["/sensors/1%2F2/acknowledge"]);
  });

  test.each([
    [400, "WRONG_NODE_STATUS", "wrong status"],
    [404, "NOT_FOUND", "gone"],
  ] as const)("resolves after %i %s, without a retry", async (status, code, result) => {
    const { acknowledge, sent, recorded } = await acknowledging([refuse(status, code)]);
    expect(await acknowledge()).toBe(result);
    expect([sent.length, recorded.retried]).toEqual([1, []]);
  });

  test.each<[what: string, Handler]>([
    ["a release without the endpoint", refuse(405, "METHOD_NOT_IMPLEMENTED")],
    ["another program", (_request, response) => response.writeHead(404).end("not here")],
  ])("does not take the 404 or 405 of %s for a missing sensor", async (_what, answer) => {
    const { acknowledge } = await acknowledging([answer]);
    expect(await rejection(acknowledge())).toMatchObject({ code: "API_NOT_FOUND" });
  });

  test("names the access level that the key needs", async () => {
    const { acknowledge } = await acknowledging([refuse(403, "FORBIDDEN")]);
    expect(await rejection(acknowledge())).toMatchObject({
      code: "API_FORBIDDEN",
      endpoint: "/sensors/{id}/acknowledge",
      message: "/sensors/{id}/acknowledge: HTTP 403 FORBIDDEN: it did not work",
      requestId: "request-1",
      remedy: expect.stringContaining("access level ACKNOWLEDGE"),
    });
  });

  test("leaves the remedy of a 403 from another program", async () => {
    const { acknowledge } = await acknowledging([(_request, response) => response.writeHead(403).end("forbidden")]);
    expect(await rejection(acknowledge())).toMatchObject({ remedy: expect.stringContaining("1616") });
  });

  test.each<[what: string, Handler, code: string]>([
    ["500", refuse(500, "INTERNAL_ERROR"), "API_SERVER_ERROR"],
    ["502", refuse(502, "BAD_GATEWAY"), "API_UNAVAILABLE"],
    ["503", refuse(503, "SERVICE_UNAVAILABLE", { "retry-after": "1" }), "API_UNAVAILABLE"],
    ["504", refuse(504, "GATEWAY_TIMEOUT"), "API_UNAVAILABLE"],
    ["408", refuse(408, "EXECUTION_TIMEOUT"), "API_EXECUTION_TIMEOUT"],
    ["a reset", (_request, response) => response.socket?.resetAndDestroy(), "API_CONNECTION_FAILED"],
    ["half an answer", (_request, response) => response.writeHead(200).write("{") && response.socket?.end(), ""],
    ["a page", (_request, response) => response.setHeader("content-type", "text/html").end("<p>"), "API_NOT_JSON"],
  ])("sends nothing again after %s", async (_what, answer, code) => {
    const { acknowledge, sent, recorded } = await acknowledging([answer]);
    expect(await rejection(acknowledge())).toMatchObject({ code: code === "" ? expect.any(String) : code });
    expect([sent.length, recorded.retried]).toEqual([1, []]);
  });

  test("sends nothing again after a timeout", async () => {
    const clock = new ManualClock();
    const { acknowledge, sent, recorded } = await acknowledging([() => undefined], { clock });
    const failed = rejection(acknowledge());
    await expect.poll(() => sent.length).toBe(1);
    await clock.advance(5_000);
    expect(await failed).toMatchObject({ code: "API_TIMEOUT" });
    await clock.advance(60_000);
    expect([sent.length, recorded.retried]).toEqual([1, []]);
  });

  test("sends nothing again on a connection that was reset while it was idle", async () => {
    const { api, acknowledge, sent } = await acknowledging([(_request, response) => response.socket?.destroy()]);
    await api.version(never);
    await rejection(acknowledge());
    expect(sent).toHaveLength(1);
  });

  test("is repeated after 429, which the server sends before it executes anything", async () => {
    const { acknowledge, sent, recorded } = await acknowledging([refuse(429, "BUSY")]);
    expect(await acknowledge()).toBe("done");
    expect([sent.length, recorded.retried]).toEqual([2, ["/sensors/{id}/acknowledge"]]);
  });

  test("is repeated once with a new session after 401", async () => {
    const auth = { kind: "login", username: "sync", password: async () => "password" } as const;
    const unauthorized = refuse(401, "AUTH_FAILED");
    const once = await acknowledging([unauthorized], { auth });
    expect(await once.acknowledge()).toBe("done");
    expect(once.sent).toHaveLength(2);
    const twice = await acknowledging([unauthorized, unauthorized], { auth });
    expect(await rejection(twice.acknowledge())).toMatchObject({ code: "API_UNAUTHORIZED" });
    expect(twice.sent).toHaveLength(2);
  });

  test("is not sent while the breaker is open", async () => {
    const { api, acknowledge, server, sent } = await acknowledging([], { maxAttempts: 1 });
    await acknowledge();
    server.handle((_request, response) => sendError(response, 503, "SERVICE_UNAVAILABLE"));
    for (let times = 0; times < 5; times++) await rejection(api.version(never));
    const before = server.requests.length;
    expect(await rejection(acknowledge())).toMatchObject({ code: "API_SUSPENDED" });
    expect([server.requests.length, sent.length]).toEqual([before, 1]);
  });

  test("is not sent if the caller has given up", async () => {
    const { acknowledge, server } = await acknowledging([]);
    const reason = new Error("the process ends");
    expect(await rejection(acknowledge("2003", AbortSignal.abort(reason)))).toBe(reason);
    expect(server.requests).toEqual([]);
  });
});

test("only sync calls actions, so serve changes nothing in PRTG", () => {
  const files = globSync("src/**/*.ts").map((file) => file.replaceAll("\\", "/"));
  expect(files.length).toBeGreaterThan(300);
  const callers = files.filter((file) => readFileSync(file, "utf8").includes(".acknowledge("));
  expect(callers.sort()).toEqual(["src/app/sync.ts", "src/cli/check/sync-steps.ts"]);
});
