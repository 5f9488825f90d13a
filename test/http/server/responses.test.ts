import { once } from "node:events";
import { get } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Exposition, TooManyPages } from "../../../src/exposition/exposition.ts";
import type { PageReader } from "../../../src/exposition/page-readers.ts";
import { startPageServer } from "../support/page-server.ts";

const PIECE = Buffer.alloc(256 * 1_024, "prtg_up 1\n");
const PIECES = 400;
const PATIENCE = { timeout: 25_000, interval: 10 };

async function startServer(streamedPage: Exposition["streamedPage"]) {
  const rejected: string[] = [];
  const { web, url } = await startPageServer({
    rejected: (reason) => void rejected.push(reason),
    exposition: { streamedPage },
  });
  onTestFinished(() => web.close(0));
  return { url, port: Number(new URL(url).port), rejected };
}

async function length(url: string): Promise<number> {
  const [response] = await once(get(url), "response");
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  return bytes;
}

test("a streamed page follows the speed of its reader", async () => {
  let made = 0;
  let ended = 0;
  const { url, port } = await startServer(async () => {
    async function* beginning() {
      for (let piece = 0; piece < PIECES; piece++) {
        made++;
        yield PIECE;
      }
    }
    return { beginning: beginning(), end: async () => [Buffer.from(`${++ended}\n`)] };
  });
  expect(await length(`${url}/metrics`)).toBe(PIECES * PIECE.length + 2);
  made = 0;
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "readable");
  socket.pause();
  // Both sides' kernel buffers plus a batch.
  const settled = async () => {
    const before = made;
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    return made === before;
  };
  await vi.waitFor(async () => expect(await settled()).toBe(true), PATIENCE);
  expect(made).toBeLessThan(PIECES / 2);
  socket.destroy();
  expect(await length(`${url}/metrics`)).toBe(PIECES * PIECE.length + 2);
  expect(ended).toBe(2);
});

test("the page source learns of disconnected readers and can cut them", async () => {
  const readers: PageReader[] = [];
  const { port, rejected } = await startServer(async (_format, _encoding, _part, reader) => {
    if (reader !== undefined) readers.push(reader);
    return { beginning: Array.from({ length: PIECES }, () => PIECE), end: async () => [] };
  });
  const ask = async () => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "readable");
    return socket;
  };
  const first = await ask();
  first.destroy();
  await readers[0]?.used;
  expect(readers[0]?.gone.aborted).toBe(true);
  expect(rejected).toEqual([]);
  const second = await ask();
  second.resume();
  readers[1]?.cut();
  await once(second, "close");
  await readers[1]?.used;
  readers[1]?.cut();
  expect(rejected).toEqual(["slow_reader"]);
});

test("the endpoint answers 503 for too many pages, and renders none for HEAD", async () => {
  const streamedPage = vi.fn(() => Promise.reject(new TooManyPages()));
  const { url, rejected } = await startServer(streamedPage);
  const head = await fetch(`${url}/metrics?shard=1/7`, { method: "HEAD" });
  expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  expect(streamedPage).not.toHaveBeenCalled();
  const response = await fetch(`${url}/metrics?shard=1/7`);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(rejected).toEqual(["requests"]);
});
