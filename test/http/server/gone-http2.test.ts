import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ClientHttp2Stream, connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { PasswordChecker } from "../../../src/http/auth/basic-auth.ts";
import { metricsEndpoint } from "../../../src/http/pages/metrics-endpoint.ts";
import { PLAIN_HTTP } from "../../../src/http/server/connection-handler.ts";
import { RequestHandler } from "../../../src/http/server/request-handler.ts";
import { disconnectSignal, isClosed } from "../../../src/http/server/response-lifetime.ts";
import { streamPage } from "../../../src/http/server/responses.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Without TLS. */
async function startHttp2(answer: Answer) {
  const server = createServer();
  server.on("request", (...exchange: unknown[]) => answer(...(exchange as Parameters<Answer>)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  return (headers: Readonly<Record<string, string>> = {}): ClientHttp2Stream =>
    session.request({ ":path": "/metrics", ...headers }).on("error", () => undefined);
}

test("the server detects a disconnected HTTP/2 reader, also later", async () => {
  const responses: ServerResponse[] = [];
  const ask = await startHttp2((_request, response) => void responses.push(response));
  const stream = ask();
  const [response] = await vi.waitUntil(() => (responses.length > 0 ? responses : undefined));
  if (response === undefined) throw new Error("there is no response");
  expect([isClosed(response), disconnectSignal(response).aborted]).toEqual([false, false]);
  stream.close(8);
  await once(response, "close");
  expect([isClosed(response), disconnectSignal(response).aborted]).toEqual([true, true]);
});

test("a streamed page ends when its HTTP/2 reader disconnects", async () => {
  const sent = Promise.withResolvers<void>();
  const made = { buffers: 0, isOver: false };
  async function* endless() {
    try {
      for (;;) {
        made.buffers++;
        yield Buffer.alloc(512 * 1_024);
      }
    } finally {
      made.isOver = true;
    }
  }
  const end = vi.fn(async () => []);
  const ask = await startHttp2((_request, response) =>
    streamPage(response, { beginning: endless(), end }).then(sent.resolve, sent.reject),
  );
  const stream = ask();
  await once(stream, "data");
  expect(made.buffers).toBeGreaterThan(0);
  expect(made.isOver).toBe(false);
  stream.close(8);
  await sent.promise;
  expect(made.isOver).toBe(true);
  expect(end).not.toHaveBeenCalled();
});

test("the server skips the page of an HTTP/2 reader that left before its turn", async () => {
  const streamedPage = vi.fn(async () => ({ beginning: [], end: async () => [] }));
  const answer = metricsEndpoint({ telemetryPath: "/metrics", exposition: { streamedPage }, served: () => undefined });
  const answered = Promise.withResolvers<void>();
  const ask = await startHttp2((request, response) => {
    response.once("close", () => answer(request, response).then(answered.resolve, answered.reject));
    stream.close(8);
  });
  const stream = ask();
  await answered.promise;
  expect(streamedPage).not.toHaveBeenCalled();
});

test("an HTTP/2 reader that leaves during its password check frees its place", async () => {
  const checking = Promise.withResolvers<boolean>();
  const begun = Promise.withResolvers<ServerResponse>();
  const gate = new RequestHandler(
    {
      routes: new Map([
        ["/metrics", (_request: IncomingMessage, response: ServerResponse) => void response.end("1\n")],
      ]),
      log: pino({ level: "silent" }),
      passwords: new PasswordChecker(() => checking.promise),
      maxRequests: 1,
      telemetryPath: "/metrics",
      now: () => 0,
      rejected: () => undefined,
    },
    { ...PLAIN_HTTP, users: new Map([["prometheus", `$2y$10$${"a".repeat(53)}`]]) },
  );
  const answers: Promise<void>[] = [];
  const ask = await startHttp2((request, response) => {
    answers.push(gate.answer(request, response, () => undefined));
    begun.resolve(response);
  });
  const authorization = `Basic ${Buffer.from("prometheus:a password").toString("base64")}`;
  const first = ask({ authorization });
  const response = await begun.promise;
  first.close(8);
  await once(response, "close");
  checking.resolve(true);
  await Promise.all(answers);
  const [headers] = await once(ask({ authorization }), "response");
  expect(headers[":status"]).toBe(200);
});
