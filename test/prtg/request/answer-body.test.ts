import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Transport } from "../../../src/prtg/request/transport.ts";
import { never } from "../../support/never-aborted.ts";
import { floodServer, rawServer } from "../support/raw-server.ts";
import { testOptions } from "../support/test-client.ts";

const HEAD =
  "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n";
const END = "0\r\n\r\n";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

function server(answer: (socket: Socket) => void): Promise<string> {
  return rawServer((socket) => socket.on("data", () => answer(socket)));
}

interface Taking {
  readonly take?: (text: string) => Promise<void> | undefined;
  readonly head?: () => void;
  /** Characters. */
  readonly enoughAfter?: number;
}

function client(url: string) {
  const transport = new Transport(testOptions(url, { limits: { concurrency: 1, maxResponseBytes: 100_000_000 } }));
  onTestFinished(() => transport.close());
  const request = { endpoint: "/list", path: "/list", startRecords: () => () => undefined };
  return async ({ take, head, enoughAfter = Number.POSITIVE_INFINITY }: Taking, signal = never): Promise<string> => {
    let text = "";
    const body = {
      get isEnough() {
        return text.length >= enoughAfter;
      },
      take(piece: Buffer) {
        text += piece.toString();
        return take?.(text);
      },
      text: () => text,
    };
    const onHead = () => {
      head?.();
      return body;
    };
    return (await transport.send(request, undefined, signal, { onHead, onBytes: () => undefined })).body;
  };
}

test("the reader receives the body while it arrives", async () => {
  const sent = Promise.withResolvers<void>();
  const url = await server(async (socket) => {
    socket.write(HEAD + chunk("one "));
    await sent.promise;
    socket.write(chunk("two") + END);
  });
  expect(await client(url)({ take: () => void sent.resolve() })).toBe("one two");
});

test("the client reuses a connection after pauses", async () => {
  let connections = 0;
  const url = await rawServer((socket) => {
    connections++;
    socket.on("data", () => void socket.write(HEAD + chunk("a".repeat(100_000)) + chunk("b") + END));
  });
  const get = client(url);
  for (let round = 0; round < 5; round++) {
    expect(await get({ take: () => nextTurn() })).toBe(`${"a".repeat(100_000)}b`);
  }
  expect(connections).toBe(1);
});

test("the client reads no more while the reader works", async () => {
  const { url, sentBytes } = await floodServer(HEAD, chunk("x".repeat(1_000)));
  const aborting = new AbortController();
  const answer = client(url)({ take: () => new Promise<void>(() => undefined) }, aborting.signal);
  let before = -1;
  while (before !== sentBytes() || before === 0) {
    before = sentBytes();
    for (let turn = 0; turn < 1_000; turn++) await nextTurn();
  }
  expect(before).toBeLessThan(64_000_000);
  aborting.abort();
  answer.catch(() => undefined);
});

test("the connection ends when the reader has enough", async () => {
  const closed = Promise.withResolvers<void>();
  const url = await rawServer((socket) => {
    socket.once("data", () => socket.write(HEAD + chunk("x".repeat(9_000))));
    socket.once("close", () => closed.resolve());
  });
  expect((await client(url)({ enoughAfter: 5_000 })).length).toBeGreaterThanOrEqual(5_000);
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
    where: "a piece",
    taking: (failure) => ({
      take: () => {
        throw failure;
      },
    }),
  },
  { where: "a piece that takes time", taking: (failure) => ({ take: () => Promise.reject(failure) }) },
])("the request rejects with an error of the reader of $where and uses another connection", async ({ taking }) => {
  const url = await server((socket) => socket.write(HEAD + chunk("text") + END));
  const get = client(url);
  const failure = new Error("not this one");
  await expect(get(taking(failure))).rejects.toBe(failure);
  expect(await get({})).toBe("text");
});

test.each([
  { what: "before the head", beginning: "" },
  { what: "after the head", beginning: HEAD },
  { what: "in the middle of the body", beginning: HEAD + chunk("some") },
])("the request rejects with the reason of a signal that aborts $what", async ({ beginning }) => {
  const asked = Promise.withResolvers<void>();
  const url = await server((socket) => {
    socket.write(beginning);
    asked.resolve();
  });
  const get = client(url);
  const aborting = new AbortController();
  const answer = get({}, aborting.signal);
  await asked.promise;
  const reason = new Error("too late");
  aborting.abort(reason);
  await expect(answer).rejects.toBe(reason);
  await expect(get({}, aborting.signal)).rejects.toBe(reason);
});
