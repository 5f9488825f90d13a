import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { ConnectionPool } from "../../../src/lib/http/connection-pool.ts";
import type { AnswerTaker } from "../../../src/lib/http/exchange.ts";
import { floodServer, rawServer } from "../../prtg/support/raw-server.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const HEAD = "HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n";
const END = "0\r\n\r\n";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Answers each request, the first of which is number 1, by what `answer` writes. */
function server(answer: (socket: Socket, nth: number) => void): Promise<string> {
  return rawServer((socket) => {
    let requests = 0;
    socket.on("data", () => answer(socket, ++requests));
  });
}

interface Taking {
  readonly data?: (text: string) => Promise<void> | undefined;
  readonly head?: () => void;
  /** Characters. */
  readonly enoughAfter?: number;
}

class Taker implements AnswerTaker {
  readonly heard: string[] = [];
  readonly #taking: Taking;

  constructor(taking: Taking = {}) {
    this.#taking = taking;
  }

  get text(): string {
    return this.heard.slice(1).join("");
  }

  get hasBegun(): boolean {
    return this.heard.length > 0;
  }

  get isEnough(): boolean {
    return this.text.length >= (this.#taking.enoughAfter ?? Number.POSITIVE_INFINITY);
  }

  interim(): void {
    throw new Error("an interim answer");
  }

  head(statusCode: number): void {
    this.heard.push(String(statusCode));
    this.#taking.head?.();
  }

  data(bytes: Buffer): Promise<void> | undefined {
    const text = bytes.toString();
    this.heard.push(text);
    return this.#taking.data?.(text);
  }
}

function client(url: string) {
  const pool = new ConnectionPool({ origin: url, connections: 1, timeoutMs: 5_000, clock: new ManualClock() });
  onTestFinished(() => pool.destroy());
  const aborting = new AbortController();
  const get = (taker: Taker) => pool.exchange({ method: "GET", path: "/", signal: aborting.signal }, taker);
  return { get, abort: (reason: Error) => aborting.abort(reason) };
}

test("hands the answer on as it arrives, and resolves when it is complete", async () => {
  const sent = Promise.withResolvers<void>();
  const url = await server(async (socket) => {
    socket.write(HEAD + chunk("one "));
    await sent.promise;
    socket.write(chunk("two") + END);
  });
  const taker = new Taker({ data: () => void sent.resolve() });
  await client(url).get(taker);
  expect(taker.heard[0]).toBe("200");
  expect(taker.text).toBe("one two");
});

test("uses a connection again, answer after answer, after pauses too", async () => {
  let connections = 0;
  const url = await rawServer((socket) => {
    connections++;
    socket.on("data", () => void socket.write(HEAD + chunk("a".repeat(100_000)) + chunk("b") + END));
  });
  const { get } = client(url);
  for (let round = 0; round < 5; round++) {
    const taker = new Taker({ data: () => nextTurn() });
    await get(taker);
    expect(taker.text).toBe(`${"a".repeat(100_000)}b`);
    // What undici hands on after a pause is empty, and a buffer of its own.
    expect(taker.heard).not.toContain("");
  }
  expect(connections).toBe(1);
});

test("reads no more while the promise of a chunk is not settled", async () => {
  const { url, sentBytes } = await floodServer(HEAD, chunk("x".repeat(1_000)));
  const free = Promise.withResolvers<void>();
  const taker = new Taker({ data: () => free.promise });
  const { get, abort } = client(url);
  const exchange = get(taker);
  let before = -1;
  while (before !== sentBytes() || before === 0) {
    before = sentBytes();
    for (let turn = 0; turn < 1_000; turn++) await nextTurn();
  }
  expect(before).toBeLessThan(64_000_000);
  abort(new Error("no longer"));
  await expect(exchange).rejects.toThrow("no longer");
});

test("ends the connection, and resolves, when it is enough", async () => {
  const closed = Promise.withResolvers<void>();
  const url = await rawServer((socket) => {
    socket.once("data", () => socket.write(HEAD + chunk("x".repeat(9_000))));
    socket.once("close", () => closed.resolve());
  });
  const taker = new Taker({ enoughAfter: 5_000 });
  await client(url).get(taker);
  expect(taker.text.length).toBeGreaterThanOrEqual(5_000);
  await closed.promise;
});

test.each<{ readonly where: string; readonly taking: (failure: Error) => Taking }>([
  {
    where: "the head",
    taking: (failure) => ({
      head: () => {
        throw failure;
      },
    }),
  },
  {
    where: "a chunk",
    taking: (failure) => ({
      data: () => {
        throw failure;
      },
    }),
  },
  { where: "a chunk that it waits for", taking: (failure) => ({ data: () => Promise.reject(failure) }) },
])("rejects with what the taker of $where fails with, and goes on with another connection", async ({ taking }) => {
  const url = await server((socket) => socket.write(HEAD + chunk("text") + END));
  const { get } = client(url);
  const failure = new Error("not this one");
  await expect(get(new Taker(taking(failure)))).rejects.toBe(failure);
  const taker = new Taker();
  await get(taker);
  expect(taker.text).toBe("text");
});

test.each([
  { what: "before it begins", beginning: "" },
  { what: "after the head", beginning: HEAD },
  { what: "in the middle of the body", beginning: HEAD + chunk("some") },
])("rejects with the reason of the signal, which aborts $what", async ({ beginning }) => {
  const asked = Promise.withResolvers<void>();
  const url = await server((socket) => {
    socket.write(beginning);
    asked.resolve();
  });
  const { get, abort } = client(url);
  const exchange = get(new Taker());
  await asked.promise;
  const reason = new Error("too late");
  abort(reason);
  await expect(exchange).rejects.toBe(reason);
  await expect(get(new Taker())).rejects.toBe(reason);
});

test("is not sent again where the head had come", async () => {
  let requests = 0;
  const url = await rawServer((socket) => {
    let nth = 0;
    socket.on("data", () => {
      requests++;
      nth++;
      socket.write(HEAD + chunk("text") + (nth === 1 ? END : ""));
      if (nth > 1) socket.destroy();
    });
  });
  const { get } = client(url);
  await get(new Taker());
  await expect(get(new Taker())).rejects.toThrow();
  expect(requests).toBe(2);
});

test("ends with what the taker makes of interim answers", async () => {
  const url = await server((socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"));
  await expect(client(url).get(new Taker())).rejects.toThrow("an interim answer");
});
