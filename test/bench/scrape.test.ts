import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { scrape } from "../../bench/processes/scrape.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(answer: RequestListener) {
  const server = createServer(answer);
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => sockets.push(socket));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/metrics`, sockets };
}

const PAGE = "a 1\n".repeat(100_000);

describe("bench client", () => {
  const answers: Readonly<Record<string, RequestListener>> = {
    "with its length": (_request, response) => void response.setHeader("Content-Length", PAGE.length).end(PAGE),
    "in chunks": (_request, response) => {
      response.write(PAGE.slice(0, 1_000));
      response.end(PAGE.slice(1_000));
    },
    "until the connection closes": (_request, response) => {
      response.useChunkedEncodingByDefault = false;
      response.removeHeader("Transfer-Encoding");
      response.setHeader("Connection", "close");
      response.end(PAGE);
    },
  };

  test.each(Object.entries(answers))("reads a page %s to its last byte, repeatedly", async (_name, answer) => {
    const { url } = await serve(answer);
    for (let time = 0; time < 3; time++) {
      const bytes = await scrape(url, "identity");
      expect(bytes).toBeGreaterThan(PAGE.length);
      expect(bytes).toBeLessThan(PAGE.length + 1_000);
    }
  });

  test("keeps its connection", async () => {
    const { url, sockets } = await serve((_request, response) => void response.end(PAGE));
    await scrape(url, "identity");
    await scrape(url, "gzip");
    expect(sockets).toHaveLength(1);
  });

  test("reconnects after the server closes the connection", async () => {
    const { url, sockets } = await serve((_request, response) => void response.end(PAGE));
    await scrape(url, "identity");
    // The client cannot know yet.
    sockets[0]?.end();
    expect(await scrape(url, "identity")).toBeGreaterThan(PAGE.length);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    sockets[1]?.once("close", () => resolve()).end();
    await closed;
    expect(await scrape(url, "identity")).toBeGreaterThan(PAGE.length);
    expect(sockets).toHaveLength(3);
  });

  test("retries if the server closes an idle connection", async () => {
    let requests = 0;
    const { url, sockets } = await serve((request, response) => {
      requests++;
      if (requests === 2) request.socket.resetAndDestroy();
      else response.end(PAGE);
    });
    await scrape(url, "identity");
    expect(await scrape(url, "identity")).toBeGreaterThan(PAGE.length);
    expect(requests).toBe(3);
    expect(sockets).toHaveLength(2);
  });

  test("rejects other answers and closed ports", async () => {
    const { url } = await serve((_request, response) => void response.writeHead(503).end("busy"));
    await expect(scrape(url, "identity")).rejects.toThrow(/answered HTTP\/1\.1 503/);
    const silent = await serve((request) => void request.socket.destroy());
    await expect(scrape(silent.url, "identity")).rejects.toThrow(/closed the connection/);
    await expect(scrape("http://127.0.0.1:1/metrics", "gzip")).rejects.toThrow(/ECONNREFUSED/);
  });
});
