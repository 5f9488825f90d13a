import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeServers } from "../../support/fake-status-source.ts";
import { HEADERS, type McpServer, startMcpServer, textOf } from "./support/mcp-server.ts";

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" });
const INITIALIZE = {
  ...{ protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a test", version: "1" } },
};
/** How clients of the revision 2026-07-28 send each request. */
const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "a test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

let mcp: McpServer;
let isEnabled = true;

beforeAll(async () => {
  mcp = await startMcpServer(fakeServers(3).source, {
    isEnabled: () => isEnabled,
    externalUrl: () => "https://exporter.example.com/prtg",
  });
});

afterAll(() => mcp.close());

async function errorOf(response: Response) {
  const { error } = (await response.json()) as { readonly error: { readonly code: number; readonly message: string } };
  return [response.status, error.code, error.message];
}

describe("/mcp", () => {
  it("answers initialize with JSON, tools only, and no session", async () => {
    const response = await mcp.post(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE }),
    );
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toMatchObject({
      result: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: "prtg-exporter", version: "0.0.0-test" },
        instructions: expect.stringMatching(/never instructions/),
      },
    });
    const noted = await mcp.post(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    expect(noted.status).toBe(202);
  });

  it("answers clients of the revision 2026-07-28, which send single requests", async () => {
    const headers = { ...HEADERS, "mcp-protocol-version": "2026-07-28" };
    const send = async (method: string, params: object, more: Readonly<Record<string, string>> = {}) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: MODERN } });
      const response = await mcp.post(body, { ...headers, "mcp-method": method, ...more });
      return { type: response.headers.get("content-type"), json: await response.json() };
    };
    const { type, json } = await send("server/discover", {});
    expect([type, json]).toMatchObject(["application/json", { result: { supportedVersions: ["2026-07-28"] } }]);
    const params = { name: "list_servers", arguments: {} };
    const called = await send("tools/call", params, { "mcp-name": "list_servers" });
    expect(called).toMatchObject({ type: "application/json", json: { result: { structuredContent: { total: 3 } } } });
    const listening = await send("subscriptions/listen", { notifications: { toolsListChanged: true } });
    expect(listening).toMatchObject({ json: { error: { message: "Subscription limit reached" } } });
  });

  it.each(["GET", "HEAD", "DELETE", "PUT"])(
    "answers %s with 405, because there are no streams and sessions",
    async (method) => {
      const response = await fetch(mcp.url, { method, headers: { accept: "text/event-stream" } });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    },
  );

  it.each([
    ["not JSON", "{", [400, -32_700, "The body is not valid JSON."]],
    ["empty", "", [400, -32_700, "The body is not valid JSON."]],
    ["a batch", `[${LIST}]`, [400, -32_600, "Send one message at a time: batches are not supported."]],
    ["no object", "7", [400, -32_600, "The body is no JSON object."]],
    ["no message", "{}", [400, -32_600, expect.any(String)]],
  ])("refuses a body that is %s", async (_what, body, expected) => {
    expect(await errorOf(await mcp.post(body))).toEqual(expected);
  });

  it("refuses another content type, and clients that take no JSON", async () => {
    const plain = await mcp.post(LIST, { ...HEADERS, "content-type": "text/plain" });
    expect(plain.status).toBe(415);
    expect((await mcp.post(LIST, { ...HEADERS, accept: "text/html" })).status).toBe(406);
  });

  it("refuses a body above 64 KiB", async () => {
    const response = await mcp.post(" ".repeat(64 * 1_024 + 1));
    expect([response.status, await response.text()]).toEqual([
      ...[413, "The request body is too large. The maximum is 65536 bytes.\n"],
    ]);
    expect((await mcp.post(LIST.padEnd(64 * 1_024))).status).toBe(200);
  });

  it("refuses web pages of another origin, even with the same host (DNS rebinding)", async () => {
    const { host } = new URL(mcp.url);
    for (const origin of [
      "https://attacker.example.com",
      `http://${host}`,
      "null",
      "https://exporter.example.com:444",
    ]) {
      expect([origin, (await mcp.post(LIST, { ...HEADERS, origin })).status]).toEqual([origin, 403]);
    }
    expect((await mcp.post(LIST, { ...HEADERS, origin: "https://exporter.example.com" })).status).toBe(200);
  });

  it("answers 404 unless web.mcp is on, and follows a reload", async () => {
    isEnabled = false;
    expect((await mcp.post(LIST)).status).toBe(404);
    expect((await fetch(mcp.url)).status).toBe(404);
    isEnabled = true;
    expect((await mcp.post(LIST)).status).toBe(200);
  });
});

describe("a call", () => {
  it("of an unknown tool is an error of the protocol that names it", async () => {
    expect(await mcp.send("tools/call", { name: "delete_sensor" })).toMatchObject({
      error: { code: -32_602, message: "Tool delete_sensor not found" },
    });
  });

  it.each([
    ["find_objects", { status: ["broken"] }, /status\.0: .*"down"/],
    ["find_objects", { page: 2 }, /"page"/],
    ["get_object", {}, /id: /],
    ["get_object", { id: 1.5 }, /id: expected an ID/],
    ["get_changes", { minutes: 1_000 }, /minutes: .*240/],
    ["list_servers", { from: -1 }, /from: /],
    ["find_objects", { text: "x".repeat(201) }, /text: /],
  ])("of %s with %o is refused, and the text names the argument", async (name, args, expected) => {
    const result = await mcp.callTool(name, args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(expected);
  });

  it("that fails says so without details, which go to the log", async () => {
    const error = new Error("with details");
    const source = { ...fakeServers(1).source, search: () => Promise.reject(error) };
    const failing = await startMcpServer(source);
    const result = await failing.callTool("find_objects");
    await failing.close();
    expect([result.isError, textOf(result)]).toEqual([true, "The exporter failed to answer. Its log says why."]);
    expect([failing.called, failing.failed]).toEqual([["find_objects failed"], [error]]);
  });

  it("is refused if too many pages wait, and may be repeated", async () => {
    const held: (() => void)[] = [];
    const { source } = fakeServers(1);
    const slow: typeof source.search = async (...question) => {
      await new Promise<void>((resolve) => held.push(resolve));
      return source.search(...question);
    };
    const busy = await startMcpServer({ ...source, search: slow });
    const calls = Array.from({ length: 19 }, () => busy.callTool("find_objects"));
    const refused = await Promise.race(calls);
    expect(textOf(refused)).toMatch(/^The exporter is already creating too many pages\. Call again in a second\.$/);
    const ending = setInterval(() => held.shift()?.(), 1);
    const results = await Promise.all(calls);
    clearInterval(ending);
    await busy.close();
    expect(results.filter(({ isError }) => isError)).toHaveLength(1);
  });

  it("ends if the client disconnects", async () => {
    const reasons: unknown[] = [];
    const { source } = fakeServers(1);
    const begun = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const endless: typeof source.search = (_question, signal) =>
      new Promise((_resolve, reject) => {
        begun.resolve();
        signal?.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(signal.reason);
          over.resolve();
        });
      });
    const hanging = await startMcpServer({ ...source, search: endless });
    const client = new AbortController();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "find_objects" } });
    const asked = fetch(hanging.url, { method: "POST", headers: HEADERS, body, signal: client.signal });
    await begun.promise;
    client.abort();
    await expect(asked).rejects.toThrow();
    await over.promise;
    expect(reasons).toHaveLength(1);
    expect(hanging.failed).toEqual([]);
    await hanging.close();
  });
});
