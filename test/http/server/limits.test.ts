import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ConnectionLimits, Connections, type CutReason } from "../../../src/http/server/connections.ts";
import { createRateLimiter } from "../../../src/http/server/request-handler.ts";
import { parseGoDuration } from "../../../src/http/web-config/schema.ts";

describe("table of connections", () => {
  const LIMITS: ConnectionLimits = { maxOpen: 3, requestMs: 10, idleMs: 50, answerMs: 100 };

  async function table() {
    let now = 0;
    const cut: CutReason[] = [];
    const connections = new Connections(
      LIMITS,
      () => now,
      (reason) => cut.push(reason),
    );
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const clients: Socket[] = [];
    onTestFinished(() => {
      for (const client of clients) client.destroy();
      listener.close();
    });
    const arrive = async (): Promise<Socket> => {
      const address = listener.address();
      const port = typeof address === "object" ? (address?.port ?? 0) : 0;
      const arrived = once(listener, "connection");
      clients.push(connect(port, "127.0.0.1").on("error", () => undefined));
      const [socket] = await arrived;
      connections.admit(socket.on("error", () => undefined));
      return socket;
    };
    const pass = (ms: number) => {
      now += ms;
      connections.sweep();
    };
    return { connections, cut, arrive, pass };
  }

  test("closes the longest idle connection when it is full", async () => {
    const { connections, cut, arrive } = await table();
    const [a, b, c] = [await arrive(), await arrive(), await arrive()];
    connections.answerBegins(a)();
    const d = await arrive();
    expect([a, b, c, d].map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]);
    expect(cut).toEqual(["evicted"]);
    expect(connections.size).toBe(3);
  });

  test("closes no active connection, and rejects new ones if all are active", async () => {
    const { connections, cut, arrive } = await table();
    const sockets = [await arrive(), await arrive(), await arrive()];
    const overs = sockets.map((socket) => connections.answerBegins(socket));
    expect((await arrive()).destroyed).toBe(true);
    overs[1]?.();
    expect((await arrive()).destroyed).toBe(false);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
    expect(cut).toEqual(["connections", "evicted"]);
  });

  test.each<[string, number, readonly CutReason[]]>([
    ["a first request", 10, ["slow_request"]],
    ["a further request", 50, []],
    ["an answer", 100, ["slow_reader"]],
    ["a body", 10, ["slow_request"]],
  ])("limits %s to its time (%i ms)", async (phase, limit, reasons) => {
    const { connections, cut, arrive, pass } = await table();
    const socket = await arrive();
    if (phase === "a further request" || phase === "a body") connections.answerBegins(socket)();
    if (phase === "a body") connections.requestBegins(socket);
    if (phase === "an answer") connections.answerBegins(socket);
    pass(limit);
    expect(socket.destroyed).toBe(false);
    pass(1);
    expect(socket.destroyed).toBe(true);
    expect(cut).toEqual(reasons);
    await once(socket, "close");
    expect(connections.size).toBe(0);
  });

  test("is empty when the last connection has ended", async () => {
    const { connections, arrive } = await table();
    await connections.empty();
    const sockets = [await arrive(), await arrive()] as const;
    let isEmpty = false;
    const emptied = connections.empty().then(() => {
      isEmpty = true;
    });
    sockets[0].destroy();
    await once(sockets[0], "close");
    await new Promise(setImmediate);
    expect([connections.size, isEmpty]).toEqual([1, false]);
    sockets[1].destroy();
    await emptied;
    expect(connections.size).toBe(0);
  });

  test("gives a body as much time as a head", async () => {
    const { connections, cut, arrive, pass } = await table();
    const socket = await arrive();
    pass(8);
    connections.requestBegins(socket);
    pass(10);
    expect(cut).toEqual([]);
    pass(1);
    expect(cut).toEqual(["slow_request"]);
  });

  test("ignores peers that it does not know", async () => {
    const { connections } = await table();
    for (const peer of [{}, { remoteAddress: "127.0.0.1", remotePort: 1, localPort: 2 }]) {
      connections.requestBegins(peer);
      connections.answerBegins(peer)();
      expect(connections.isAnswering(peer)).toBe(false);
    }
  });

  test("counts several answers on one connection in any order", async () => {
    const { connections, arrive, pass } = await table();
    const socket = await arrive();
    const [one, two] = [connections.answerBegins(socket), connections.answerBegins(socket)];
    two();
    expect(connections.isAnswering(socket)).toBe(true);
    pass(60);
    expect(socket.destroyed).toBe(false);
    one();
    expect(connections.isAnswering(socket)).toBe(false);
  });
});

test("the bucket permits at most the burst and one per interval", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 20 }), gaps, (intervalMs, burst, waits) => {
      let now = 0;
      const limiter = createRateLimiter({ intervalMs, burst }, () => now);
      let taken = 0;
      for (const wait of waits) {
        now += wait;
        if (limiter.take()) taken++;
        else if (burst > 0) expect(limiter.waitMs()).toBeGreaterThan(0);
        expect(taken).toBeLessThanOrEqual(burst + now / intervalMs + 1e-6);
      }
      if (burst > 0 && waits.length > 0) expect(taken).toBeGreaterThan(0);
    }),
  );
});

test.each([
  ["1h2m3s4ms5us6ns", 3_723_004.005006],
  ["1.5s", 1_500],
  [".5s", 500],
  ["1.s", 1_000],
  ["+1s", 1_000],
  ["-1s", -1_000],
  ["0", 0],
  ["1µs", 0.001],
  ["", undefined],
  ["1", undefined],
  ["s", undefined],
  ["1d", undefined],
  ["1s ", undefined],
  ["1s1", undefined],
  ["--1s", undefined],
  ["300000000h", undefined],
])("Go reads the duration %j as %s ms", (text, ms) => {
  expect(parseGoDuration(text)).toEqual(ms);
});
