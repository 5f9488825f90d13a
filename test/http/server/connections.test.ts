import { once } from "node:events";
import { Agent, get, request } from "node:http";
import { connect, type Socket } from "node:net";
import { pino } from "pino";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createRoutes } from "../../../src/http/pages/routes.ts";
import { startWebServer, type WebServer } from "../../../src/http/server/connection-handler.ts";

/** Far more than the kernel buffers for a stalled reader. */
const PAGE = Buffer.alloc(16 * 1024 * 1024, "prtg_up 1\n");
const OF_THE_CONNECTION: ReadonlySet<string> = new Set(["connection", "keep-alive", "date", "transfer-encoding"]);
const PATIENCE = { timeout: 25_000, interval: 10 };

interface TestServer {
  readonly web: WebServer;
  readonly url: string;
  readonly port: number;
  readonly logged: string[];
  /** Media types of served pages. */
  readonly served: string[];
  readonly rejected: string[];
}

/** Below the grace time of a minute. */
const NO_WAIT_MS = 20_000;

async function startServer(
  options: { stalledMs?: number; lastRequestsMs?: number; page?: () => Promise<readonly Buffer[]> } = {},
): Promise<TestServer> {
  const { page = async () => [PAGE.subarray(0, PAGE.length / 2), PAGE.subarray(PAGE.length / 2)] } = options;
  const { stalledMs, lastRequestsMs } = options;
  const logged: string[] = [];
  const served: string[] = [];
  const rejected: string[] = [];
  const web = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    log: pino({ level: "debug" }, { write: (line: string) => void logged.push(line) }),
    stalledMs,
    lastRequestsMs,
    observer: { rejected: (reason) => void rejected.push(reason), observed: () => undefined },
    routes: createRoutes({
      telemetryPath: "/metrics",
      isReady: () => false,
      served: (mediaType) => void served.push(mediaType),
      exposition: { streamedPage: async () => ({ beginning: await page(), end: async () => [] }) },
    }),
  });
  onTestFinished(() => web.close(0));
  const url = web.urls[0] ?? "";
  return { web, url, port: Number(new URL(url).port), logged, served, rejected };
}

async function askWithoutReading(port: number, text = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  socket.pause();
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

/** Body length, read in chunks. */
function readPage(url: string, agent?: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${url}/metrics`, agent === undefined ? {} : { agent }, (response) => {
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
      });
      response.on("end", () => resolve(length));
      response.on("error", reject);
    }).on("error", reject);
  });
}

async function closesWithin(ms: number, web: WebServer, graceMs: number): Promise<void> {
  const started = performance.now();
  await web.close(graceMs);
  expect(performance.now() - started).toBeLessThan(ms);
}

describe("scrapers that disconnect", () => {
  test("leave no connection and no error during the page", async () => {
    const { web, url, port, logged, served } = await startServer({ lastRequestsMs: 0 });
    const abort = async () => {
      const socket = await askWithoutReading(port);
      socket.resume();
      await once(socket, "data");
      socket.destroy();
    };
    await Promise.all(Array.from({ length: 10 }, abort));
    const reset = async () => {
      const socket = await askWithoutReading(port);
      await once(socket, "readable");
      socket.resetAndDestroy();
    };
    await Promise.all(Array.from({ length: 10 }, reset));
    expect(await readPage(url)).toBe(PAGE.length);
    expect(served).toHaveLength(21);
    await closesWithin(NO_WAIT_MS, web, 60_000);
    expect(logged).toEqual([]);
  });

  test("leave no error before the page", async () => {
    const page = Promise.withResolvers<readonly Buffer[]>();
    const makePage = vi.fn(() => page.promise);
    const { web, port, logged, served } = await startServer({ page: makePage });
    const socket = await askWithoutReading(port);
    await vi.waitFor(() => expect(makePage).toHaveBeenCalled(), PATIENCE);
    socket.destroy();
    await once(socket, "close");
    page.resolve([PAGE]);
    await vi.waitFor(() => expect(served).toHaveLength(1), PATIENCE);
    await closesWithin(NO_WAIT_MS, web, 60_000);
    expect(logged).toEqual([]);
  });

  test("leave no error if the page fails afterwards", async () => {
    const page = Promise.withResolvers<readonly Buffer[]>();
    const makePage = vi.fn(() => page.promise);
    const { web, port, logged } = await startServer({ page: makePage });
    const socket = await askWithoutReading(port);
    await vi.waitFor(() => expect(makePage).toHaveBeenCalled(), PATIENCE);
    socket.destroy();
    await once(socket, "close");
    page.reject(new Error("broken"));
    await vi.waitFor(() => expect(logged).toHaveLength(1), PATIENCE);
    expect(logged[0]).toContain("request to the exporter failed");
    await closesWithin(NO_WAIT_MS, web, 60_000);
  });
});

describe("scraper that stops reading", () => {
  test("does not block others, and gets its whole page when it continues", async () => {
    const { url, port } = await startServer();
    const slow = await Promise.all(Array.from({ length: 4 }, () => askWithoutReading(port)));
    const started = performance.now();
    for (let round = 0; round < 5; round++) expect(await readPage(url)).toBe(PAGE.length);
    // Slow clients get a full minute.
    expect(performance.now() - started).toBeLessThan(NO_WAIT_MS);
    const [first] = slow;
    let received = 0;
    let head = "";
    first?.on("data", (chunk: Buffer) => {
      if (received === 0) head = chunk.toString("latin1").split("\r\n\r\n", 1)[0] ?? "";
      received += chunk.length;
    });
    first?.resume();
    let last = "";
    first?.on("data", (chunk: Buffer) => {
      last = (last + chunk.toString("latin1").slice(-5)).slice(-5);
    });
    await vi.waitFor(() => expect(last).toBe("0\r\n\r\n"), PATIENCE);
    expect(received).toBeGreaterThan(head.length + 4 + PAGE.length);
    for (const socket of slow) socket.destroy();
  });

  test("loses its connection after a timeout", async () => {
    const { port, logged, rejected } = await startServer({ stalledMs: 200 });
    const socket = await askWithoutReading(port);
    await vi.waitFor(() => expect(rejected).toEqual(["slow_reader"]), PATIENCE);
    // Only reading shows that the peer closed.
    socket.resume();
    await once(socket, "close");
    expect(socket.bytesRead).toBeLessThan(PAGE.length);
    expect(logged).toEqual([]);
  });
});

describe("closing server", () => {
  test("finishes responses without waiting for idle connections", async () => {
    const { web, url, port, served } = await startServer({ lastRequestsMs: 10 });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const slow = await askWithoutReading(port);
    expect(await readPage(url, agent)).toBe(PAGE.length);
    await vi.waitFor(() => expect(served).toHaveLength(2), PATIENCE);
    const closed = closesWithin(NO_WAIT_MS, web, 60_000);
    setTimeout(() => slow.resume(), 100);
    await closed;
    await once(slow, "close");
    expect(slow.bytesRead).toBeGreaterThan(PAGE.length);
    await expect(readPage(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("answers a request that was on its way on an idle connection, and ends the connection with it", async () => {
    const { web, port } = await startServer({ page: async () => [Buffer.from("prtg_up 1\n")] });
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
    });
    const ask = () => void socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    ask();
    await vi.waitFor(() => expect(received).toContain("prtg_up 1"), PATIENCE);
    received = "";
    const closed = web.close(60_000);
    // It arrives when the server has already begun to stop.
    ask();
    await once(socket, "close");
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/);
    await closed;
  });

  test("cuts responses after the grace time", async () => {
    const { web, port, served } = await startServer();
    const started = await Promise.all([
      askWithoutReading(port),
      askWithoutReading(port, "GET /metrics HTTP/1.1\r\n"),
      askWithoutReading(port, ""),
    ]);
    await vi.waitFor(() => expect(served).toHaveLength(1), PATIENCE);
    const before = performance.now();
    await closesWithin(NO_WAIT_MS, web, 100);
    expect(performance.now() - before).toBeGreaterThan(90);
    for (const socket of started) socket.destroy();
  });
});

describe("requests other than scrapes", () => {
  test("get the status and headers of GET for HEAD, without a body", async () => {
    const { url } = await startServer();
    for (const path of ["/", "/metrics", "/-/healthy", "/-/ready", "/nothing"]) {
      const headers = { "Accept-Encoding": "identity" };
      const [whole, head] = await Promise.all(["GET", "HEAD"].map((method) => fetch(url + path, { method, headers })));
      if (whole === undefined || head === undefined) throw new Error("no answer");
      const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => !OF_THE_CONNECTION.has(name));
      expect([head.status, headersOf(head)], path).toEqual([whole.status, headersOf(whole)]);
      const length = whole.headers.get("content-length");
      const bytes = (await whole.arrayBuffer()).byteLength;
      // Sent before its end is made.
      expect(length, path).toBe(path === "/metrics" ? null : String(bytes));
      expect((await head.arrayBuffer()).byteLength, path).toBe(0);
    }
  });

  test("get 405 and Allow on existing paths, and 404 elsewhere", async () => {
    const { url } = await startServer();
    for (const path of ["/", "/metrics", "/-/healthy", "/-/ready"]) {
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
        const response = await fetch(url + path, { method, ...(method === "POST" && { body: "x".repeat(100_000) }) });
        expect([response.status, response.headers.get("allow")], `${method} ${path}`).toEqual([405, "GET, HEAD"]);
      }
    }
    expect((await fetch(`${url}/../elsewhere/x`, { method: "POST", body: "x" })).status).toBe(404);
  });

  test("get an error if they are not HTTP, and the server continues", async () => {
    const { url, port, logged } = await startServer();
    for (const text of [
      "\x16\x03\x01\x02\x00\x01\x00",
      "NONSENSE\r\n\r\n",
      `GET / HTTP/1.1\r\nX: ${"y".repeat(50_000)}\r\n\r\n`,
    ]) {
      const socket = await askWithoutReading(port, text);
      socket.resume();
      const [answer] = await once(socket, "data");
      expect(String(answer)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    const expecting = request(`${url}/metrics`, { headers: { Expect: "100-continue" } });
    expecting.end();
    const [response] = await once(expecting, "response");
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(logged).toEqual([]);
  });
});
