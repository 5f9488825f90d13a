import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { WebLimits } from "../../../src/http/server/connection-handler.ts";
import { runHttpFuzz } from "../../fuzz/http-requests.ts";
import { type HttpTarget, startHttpTarget } from "../../fuzz/http-target.ts";
import { PATIENCE } from "../support/patience.ts";

/** Selects another run. Failures name their seed. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);

let target: HttpTarget;
let openBefore: number;
const rejections: unknown[] = [];
const note = (reason: unknown) => void rejections.push(reason);

beforeEach(() => {
  process.on("unhandledRejection", note);
});

afterEach(() => {
  process.off("unhandledRejection", note);
  expect(rejections).toEqual([]);
});

/** Far more than the kernel buffers for a stalled reader. */
const LARGE_PAGE = Buffer.alloc(8 * 1024 * 1024, "prtg_up 1\n");

async function start(limits: WebLimits = {}, page?: Buffer): Promise<void> {
  openBefore = openSockets();
  target = await startHttpTarget({ watchMs: 50, ...limits }, page);
}

/** A sound answer, no log lines, no open connections. */
async function expectSoundness(): Promise<void> {
  // A busy machine may cut one.
  await vi.waitFor(async () => expect(await scrape()).toBe(200), PATIENCE);
  await vi.waitFor(async () => expect((await fetch(`${target.url}/-/healthy`)).status).toBe(200), PATIENCE);
  expect(target.errors).toEqual([]);
  await target.close();
  await vi.waitFor(() => expect(openSockets()).toBeLessThanOrEqual(openBefore), PATIENCE);
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^TCP/.test(kind)).length;
}

/** 0: no answer. */
async function scrape(): Promise<number> {
  try {
    const response = await fetch(`${target.url}/metrics`, {
      headers: { connection: "close", "accept-encoding": "identity" },
    });
    const body = await response.text();
    return body.includes("prtg_up") || response.status !== 200 ? response.status : 0;
  } catch {
    return 0;
  }
}

/** Median milliseconds of valid scrapes. */
async function typicalScrape(rounds = 15): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    expect(await scrape()).toBe(200);
    times.push(performance.now() - started);
  }
  return times.toSorted((a, b) => a - b)[rounds >> 1] ?? 0;
}

/** Best of three: other programs may run. */
async function leastRatio(measure: () => Promise<number>, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && least >= enough; round++) least = Math.min(least, await measure());
  return least;
}

/** Sends `text` and ignores how the connection ends. */
async function open(text = ""): Promise<Socket> {
  const socket = connect(target.port, target.host).on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await Promise.race([once(socket, "connect"), once(socket, "close")]);
  if (text !== "") socket.write(text);
  return socket;
}

/** Unlike `once`, accepts any end. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));

const openMany = (count: number, text?: string) => Promise.all(Array.from({ length: count }, () => open(text)));

describe("fuzzed requests", () => {
  test(`get well-formed answers, and the server continues (seed ${SEED})`, async () => {
    await start();
    const report = await runHttpFuzz({ ...target, seed: SEED, inputs: 1_200, patienceMs: 30_000 });
    expect(report.violations).toEqual([]);
    expect(report.inputs).toBe(1_200);
    for (const status of [200, 400, 404, 405]) expect(report.statuses.get(status), String(status)).toBeGreaterThan(0);
    await expectSoundness();
  });

  test("delay a scrape little more than the same number of valid requests", async () => {
    await start();
    const beside = async (inputs: () => Promise<unknown>) => {
      let isOver = false;
      const attack = inputs().then(() => {
        isOver = true;
      });
      const times: number[] = [];
      while (!isOver) {
        const started = performance.now();
        expect(await scrape()).toBe(200);
        times.push(performance.now() - started);
      }
      await attack;
      return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
    };
    const good = async () => {
      const client = async () => {
        for (let count = 0; count < 20; count++) await scrape();
      };
      await Promise.all(Array.from({ length: 16 }, client));
    };
    const fuzz = () => runHttpFuzz({ ...target, seed: SEED + 1, inputs: 500 });
    const ratio = await leastRatio(async () => {
      const besideGood = await beside(good);
      return (await beside(fuzz)) / besideGood;
    }, 5);
    expect(ratio).toBeLessThan(5);
    await expectSoundness();
  });
});

describe("connections with too little data", () => {
  test("make room for new ones by the thousand, and scrapes continue", async () => {
    // No other limit cuts a connection, even in slow waves.
    await start({ maxConnections: 200, requestMs: 120_000 });
    const quiet = await typicalScrape();
    // The kernel limits pending connections, hence waves.
    for (let wave = 0; wave < 10; wave++) await openMany(200);
    expect(await leastRatio(async () => (await typicalScrape()) / quiet, 10)).toBeLessThan(10);
    expect(target.rejected.get("evicted")).toBeGreaterThanOrEqual(1_800);
    expect(target.rejected.has("connections")).toBe(false);
    await expectSoundness();
  });

  test("end after a limit if they drip heads", async () => {
    await start({ requestMs: 800 });
    const slow = await openMany(100, "GET /metrics HTTP/1.1\r\nHost: x\r\n");
    const drip = setInterval(() => {
      for (const socket of slow) if (!socket.destroyed) socket.write("X: y\r\n");
    }, 50);
    const ended = Promise.all(slow.map(closed));
    expect(await scrape()).toBe(200);
    await ended;
    clearInterval(drip);
    expect(target.rejected.get("slow_request")).toBe(100);
    await expectSoundness();
  });

  test("end after a limit if they drip a body", async () => {
    await start({ requestMs: 300 });
    const slow = await openMany(20, "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
    const drip = setInterval(() => {
      for (const socket of slow) if (!socket.destroyed) socket.write("x");
    }, 30);
    await Promise.all(slow.map(closed));
    clearInterval(drip);
    expect(target.rejected.get("slow_request")).toBe(20);
    await expectSoundness();
  });

  test("keep their usual time for the next request after a body", async () => {
    await start({ requestMs: 400, idleMs: 60_000 });
    const socket = await open(
      "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n",
    );
    socket.resume();
    await sleep(800);
    expect([socket.destroyed, ...target.rejected.keys()]).toEqual([false]);
    await expectSoundness();
  });

  test("end if they wait too long for the next request", async () => {
    await start({ idleMs: 200 });
    const socket = await open("GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    expect([...target.rejected]).toEqual([]);
    await expectSoundness();
  });
});

describe("large numbers of requests", () => {
  test("get all answers on one connection, with limited concurrency", async () => {
    await start({ maxRequests: 4 });
    const socket = await open();
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    const one = "GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
    socket.write(`${one.repeat(300)}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(socket, "close");
    expect(text.match(/HTTP\/1\.1 \d+ /g)).toHaveLength(601);
    expect(text.match(/HTTP\/1\.1 200 /g)?.length).toBeGreaterThanOrEqual(301);
    await expectSoundness();
  });

  test("get 503 beyond their share if no client reads, while probes work", async () => {
    await start({ maxRequests: 3, stalledMs: 1_500 }, LARGE_PAGE);
    const readers = await openMany(3, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    for (const socket of readers) socket.pause();
    // All three are answered but not yet cut.
    await vi.waitFor(async () => {
      const response = await fetch(`${target.url}/metrics`, { headers: { connection: "close" } });
      await response.arrayBuffer();
      expect([200, 503]).toContain(response.status);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    }, PATIENCE);
    for (const probe of ["/-/healthy", "/-/ready"]) expect((await fetch(target.url + probe)).status).toBe(200);
    await vi.waitFor(async () => expect(await scrape()).toBe(200), PATIENCE);
    // May take several turns.
    await vi.waitFor(() => expect(target.rejected.get("slow_reader")).toBe(3), PATIENCE);
    // Stalled readers do not notice.
    for (const socket of readers) socket.destroy();
    await expectSoundness();
  });

  test("leave nothing behind when aborted", async () => {
    await start();
    for (let round = 0; round < 10; round++) {
      const sockets = await openMany(20, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
      await sleep(round);
      for (const [index, socket] of sockets.entries()) {
        if (index % 2 === 0) socket.destroy();
        else socket.resetAndDestroy();
      }
    }
    await expectSoundness();
  });

  test("block only new connections while all are active", async () => {
    await start({ maxConnections: 2, maxRequests: 0 }, LARGE_PAGE);
    const readers = await openMany(2, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    for (const socket of readers) socket.pause();
    // Starts to receive an answer and stalls.
    await Promise.all(readers.map((socket) => once(socket, "readable")));
    for (let count = 1; count <= 3; count++) {
      const refused = await open("GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n");
      refused.on("data", () => expect.unreachable());
      if (!refused.closed) await closed(refused);
      expect(target.rejected.get("connections")).toBe(count);
    }
    for (const socket of readers) socket.destroy();
    await expectSoundness();
  });
});

describe("unusual requests", () => {
  beforeAll(() => start());

  afterAll(() => expectSoundness());

  test.each([
    ["a proxy", "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405],
    ["a web socket", "GET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 200],
    ["HTTP/2 without TLS", "GET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 200],
    ["an echo", "TRACE / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic secret\r\n\r\n", 405],
    ["options of everything", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 404],
    ["the whole URL", "GET http://elsewhere/-/healthy?x HTTP/1.1\r\nHost: x\r\n\r\n", 200],
    ["a file", "GET /../../../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404],
    ["a file, encoded", "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404],
    ["a NUL", "GET /metrics\0 HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["no host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["two lengths", "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400],
    [
      "to smuggle",
      "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["a head that is too long", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    ["a path that is too long", `GET /${"y".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ["a body that is too long", "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n", 413],
    ["a small body", "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 200],
    [
      "a small body with a scrape",
      "GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
      200,
    ],
  ])("%s", async (_what, text, status) => {
    const socket = await open(text);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(String(answer)).not.toContain("secret");
    socket.destroy();
  });
});
