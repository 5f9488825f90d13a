import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { startWebServer, type WebLimits } from "../../../src/http/server/connection-handler.ts";
import { PipelinedResponses } from "../../../src/http/server/response-lifetime.ts";
import { type RouteHandler, respondText } from "../../../src/http/server/responses.ts";

const MOST = 3;

async function start({ lastRequestsMs }: Pick<WebLimits, "lastRequestsMs"> = {}) {
  const asked: string[] = [];
  const wakers: (() => void)[] = [];
  const slow: RouteHandler = async (_request, response) => {
    asked.push("slow");
    await new Promise<void>((resolve) => wakers.push(resolve));
    respondText(response, 200, "Slow.\n");
  };
  const quick: RouteHandler = (_request, response) => {
    asked.push("quick");
    respondText(response, 200, "Quick.\n");
  };
  const web = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    log: pino({ level: "silent" }),
    routes: new Map([
      ["/slow", slow],
      ["/quick", quick],
    ]),
    maxRequests: MOST,
    lastRequestsMs,
    // Lets every path take all places.
    telemetryPath: "",
  });
  onTestFinished(() => web.close(0));
  const url = web.urls[0] ?? "";
  return { web, url, port: Number(new URL(url).port), asked, wakers };
}

function requests(...paths: string[]): string {
  return paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join("");
}

test("answers that wait behind others free their places when the connection ends", async () => {
  const { web, url, port, asked, wakers } = await start({ lastRequestsMs: 0 });
  for (let round = 1; round <= 3 * MOST; round++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.resume();
    // Without a handler, Node.js detaches the connection and forgets responses.
    socket.write(`${requests("/slow", "/quick")}CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, "close");
    expect(asked).toHaveLength(2 * round);
    wakers.pop()?.();
  }
  await vi.waitFor(async () => expect((await fetch(`${url}/quick`)).status).toBe(200), { timeout: 20_000 });
  const before = performance.now();
  await web.close(60_000);
  expect(performance.now() - before).toBeLessThan(20_000);
});

test.each([
  ["", []],
  ["CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", ["connect"]],
])("the end of a connection closes waiting answers, too, and the current one only once (%j)", async (last, events) => {
  const responses = new PipelinedResponses();
  const closed: string[] = [];
  const server = createServer((request, response) => {
    responses.track(request, response);
    response.on("close", () => closed.push(request.url ?? ""));
    if (request.url === "/done") response.end();
    if (request.url === "/last" && last === "") client.destroy();
  });
  for (const event of events) server.on(event, (_request, socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const connected = once(server, "connection");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  const [socket] = await connected;
  client.resume().write(requests("/done"));
  while (closed.length < 1) await sleep(1);
  client.write(requests("/current", "/next", "/last") + last);
  await new Promise((resolve) => socket.once("close", resolve));
  // Newer Node.js closes waiting answers itself, if no CONNECT came.
  expect(new Set(closed)).toEqual(new Set(["/done", "/current", "/next", "/last"]));
  expect(closed.filter((url) => url === "/current")).toHaveLength(1);
});

test("answers arrive in the order of requests", async () => {
  const { port, asked, wakers } = await start();
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.write(requests("/slow", "/quick", "/quick"));
  while (asked.length < 3) await sleep(1);
  wakers.pop()?.();
  while (received.split("Quick.\n").length < 3) await sleep(1);
  expect(received.indexOf("Slow.")).toBeLessThan(received.indexOf("Quick."));
  socket.destroy();
});

test("a closing server ends persistent connections and answers late requests", async () => {
  const { web, port, asked, wakers } = await start();
  const [first, second] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  const received = [first, second].map((socket) => text(socket));
  first.write(requests("/slow"));
  while (asked.length < 1) await sleep(1);
  const closed = web.close(60_000);
  second.write(requests("/slow"));
  while (asked.length < 2) await sleep(1);
  wakers.shift()?.();
  expect(await received[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n(?:.*\r\n)*\r\nSlow\.\n$/);
  wakers.shift()?.();
  expect(await received[1]).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n(?:.*\r\n)*\r\nSlow\.\n$/);
  await closed;
});
