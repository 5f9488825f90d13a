import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { OtlpTransport, Receivers } from "../../src/otlp/receivers.ts";
import { rejection } from "../prtg/support/test-client.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";

/** A receiver that resets a connection at its second request, or keeps it. */
async function listening({ resets }: { readonly resets: boolean }) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    let requests = 0;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (!bytes.toString("latin1").includes("POST ")) return;
      if (++requests === 1 || !resets) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      else socket.resetAndDestroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const transport = transportTo(port);
  const push = async () => {
    const { status } = await transport.post(Buffer.from("points"), never);
    await new Promise((resolve) => setImmediate(resolve));
    return status;
  };
  return { push, connections: () => connections };
}

function transportTo(port: number): OtlpTransport {
  const clock = new ManualClock();
  const url = `http://127.0.0.1:${port}/v1/metrics`;
  const transport = new OtlpTransport({
    url,
    contentType: "application/x-protobuf",
    compression: "none",
    timeoutMs: 10_000,
    userAgent: "prtg-exporter/test",
    readHeaders: async () => ({}),
    tls: {},
    clock,
    receiver: new Receivers(clock).at(url),
  });
  onTestFinished(() => transport.close());
  return transport;
}

test("a push on a closed connection repeats immediately", async () => {
  const { push, connections } = await listening({ resets: true });
  for (let count = 0; count < 6; count++) expect(await push()).toBe(200);
  expect(connections()).toBeLessThanOrEqual(6);
});

test("pushes share a connection that stays open", async () => {
  const { push, connections } = await listening({ resets: false });
  for (let count = 0; count < 3; count++) expect(await push()).toBe(200);
  expect(connections()).toBe(1);
});

test("at most eight of many pushes are under way, and none is lost", async () => {
  let open = 0;
  let most = 0;
  const server = createHttpServer((request, response) => {
    most = Math.max(most, ++open);
    request.resume().on("end", () =>
      setTimeout(() => {
        open--;
        response.end();
      }, 5),
    );
  });
  const listening = await listenOnLoopback(server);
  onTestFinished(() => listening.close());
  const transport = transportTo(listening.port);
  const aborted = rejection(transport.post(Buffer.from("points"), AbortSignal.abort(new Error("the program ends"))));
  const answers = await Promise.all(Array.from({ length: 50 }, () => transport.post(Buffer.from("points"), never)));
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(most).toBe(8);
  expect((await aborted).message).toBe("the program ends");
});
