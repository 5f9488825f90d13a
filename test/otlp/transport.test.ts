import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { OtlpTransport, Receivers } from "../../src/otlp/receivers.ts";
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
  const push = async () => {
    const { status } = await transport.post(Buffer.from("points"), never);
    await new Promise((resolve) => setImmediate(resolve));
    return status;
  };
  return { push, connections: () => connections };
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
