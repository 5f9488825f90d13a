import { once } from "node:events";
import { Agent, get, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { connect as connectTls } from "node:tls";
import { pino } from "pino";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Redactor } from "../../../src/errors/redactor.ts";
import { ConnectionHandler, type ConnectionHandlerOptions } from "../../../src/http/server/connection-handler.ts";
import { type RouteHandler, respondText } from "../../../src/http/server/responses.ts";
import { WebConfigSource } from "../../../src/http/web-config/source.ts";
import { certificate } from "../../support/certificates.ts";

const TLS = "tls_server_config: { cert_file: server.pem, key_file: server.key }\n";
const HEADERS = "http_server_config: { headers: { X-Frame-Options: deny } }\n";

/** Accepts the connections of a listener. The web configuration is in memory, and read when the test says so. */
async function handling(yaml = "", more: Partial<ConnectionHandlerOptions> = {}) {
  const file = { text: yaml, mtimeNs: 1n, ctimeNs: 1n, size: 1n, ino: 1n };
  const log = pino({ level: "silent" });
  const webConfig = await WebConfigSource.open({
    ...{ file: "/etc/web.yaml", redactor: new Redactor(), log, stat: async () => file },
    readFile: async (path) =>
      path.endsWith(".yaml") ? file.text : certificate(path.endsWith(".key") ? "localhost.key.pem" : "localhost.pem"),
  });
  const rejected: string[] = [];
  const observed: { connections: number; webConfigInForce: boolean }[] = [];
  const held: (() => void)[] = [];
  const hold: RouteHandler = (_request, response) => void held.push(() => respondText(response, 200, "late"));
  const handler = new ConnectionHandler({
    ...{ log, webConfig },
    routes: new Map<string, RouteHandler>([
      ["/metrics", (_request, response) => respondText(response, 200, "prtg_up 1\n")],
      ["/hold", hold],
    ]),
    observer: { rejected: (reason) => void rejected.push(reason), observed: (state) => void observed.push(state) },
    ...more,
  });
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    handler.accept(socket);
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(async () => {
    listener.close();
    await handler.close();
  });
  const { port } = listener.address() as AddressInfo;
  const change = async (text: string) => {
    file.text = text;
    file.mtimeNs++;
    await handler.watch();
  };
  return { handler, port, change, rejected, observed, held };
}

function keepAlive(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

async function ask(port: number, agent: Agent | false = false, path = "/metrics"): Promise<IncomingHttpHeaders> {
  const [response] = await once(get({ host: "127.0.0.1", port, path, agent }), "response");
  response.resume();
  await once(response, "end");
  return { ...response.headers, ":status": String(response.statusCode) };
}

/** Whether the port speaks TLS. */
async function speaksTls(port: number): Promise<boolean> {
  const socket = connectTls({ host: "127.0.0.1", port, servername: "localhost", ca: certificate("ca.pem") });
  socket.on("error", () => undefined);
  const isSecure = await once(socket, "secureConnect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isSecure;
}

describe("a changed web configuration", () => {
  test("applies to open connections, which stay open", async () => {
    const { port, change } = await handling();
    const agent = keepAlive();
    expect(await ask(port, agent)).toMatchObject({ connection: "keep-alive" });
    await change(HEADERS);
    expect(await ask(port, agent)).toMatchObject({ connection: "keep-alive", "x-frame-options": "deny" });
  });

  test("with TLS applies to new connections, and old ones end after one more answer", async () => {
    const { port, change } = await handling();
    const agent = keepAlive();
    await ask(port, agent);
    await change(TLS);
    expect(await ask(port, agent)).toMatchObject({ ":status": "200", connection: "close" });
    expect(await speaksTls(port)).toBe(true);
    await change("");
    expect(await speaksTls(port)).toBe(false);
    expect(await ask(port)).toMatchObject({ ":status": "200" });
  });

  test("that is invalid changes nothing, and the observer knows", async () => {
    const { port, change, observed } = await handling(HEADERS);
    await ask(port);
    await change("nonsense: true");
    expect(await ask(port)).toMatchObject({ "x-frame-options": "deny" });
    expect(observed).toEqual([
      { connections: 1, webConfigInForce: true },
      { connections: 1, webConfigInForce: false },
    ]);
  });

  test("is read only after a change of its file", async () => {
    const { handler, port } = await handling(HEADERS);
    const agent = keepAlive();
    await ask(port, agent);
    await handler.watch();
    expect(await ask(port, agent)).toMatchObject({ connection: "keep-alive", "x-frame-options": "deny" });
  });
});

describe("limits", () => {
  test("refuse a connection while all others are busy", async () => {
    const { port, rejected, held } = await handling("", { maxConnections: 1 });
    const busy = ask(port, false, "/hold");
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await expect(ask(port)).rejects.toThrow();
    expect(rejected).toEqual(["connections"]);
    held[0]?.();
    expect(await busy).toMatchObject({ ":status": "200" });
    await vi.waitFor(async () => expect(await ask(port)).toMatchObject({ ":status": "200" }));
  });

  test("refuse requests beyond their number", async () => {
    const { port, rejected, held } = await handling("", { maxRequests: 1 });
    const busy = ask(port, false, "/hold");
    await vi.waitFor(() => expect(held).toHaveLength(1));
    expect(await ask(port)).toMatchObject({ ":status": "503", "retry-after": "1" });
    expect(rejected).toEqual(["requests"]);
    held[0]?.();
    await busy;
  });

  test("cut an answer that takes too long to send, at the next look", async () => {
    const { handler, port, rejected, held } = await handling("", { answerMs: 0 });
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    socket.write("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    await vi.waitFor(() => expect(held).toHaveLength(1));
    const closed = once(socket, "close");
    await handler.watch();
    await closed;
    expect(rejected).toEqual(["slow_reader"]);
  });
});

describe("the end", () => {
  test("waits for answers under way, which end their connections", async () => {
    const { handler, port, held } = await handling("", { lastRequestsMs: 0 });
    const agent = keepAlive();
    const answer = ask(port, agent, "/hold");
    await vi.waitFor(() => expect(held).toHaveLength(1));
    let isFinished = false;
    const finished = handler.finish(60_000).then(() => {
      isFinished = true;
    });
    await new Promise(setImmediate);
    expect(isFinished).toBe(false);
    held[0]?.();
    expect(await answer).toMatchObject({ ":status": "200", connection: "close" });
    await finished;
  });

  test("does not wait longer than the grace time", async () => {
    const { handler, port, held } = await handling("", { lastRequestsMs: 0 });
    const answer = ask(port, false, "/hold").catch(() => "cut");
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await handler.finish(0);
    await handler.close();
    expect(await answer).toBe("cut");
  });
});
