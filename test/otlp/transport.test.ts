import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Receivers } from "../../src/otlp/receivers.ts";
import { OtlpTransport } from "../../src/otlp/transport.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("a push on a closed connection repeats immediately", async () => {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    let requests = 0;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (!bytes.toString("latin1").includes("POST ")) return;
      if (++requests === 1) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
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
  const never = new AbortController().signal;
  for (let push = 0; push < 6; push++) {
    expect((await transport.post(Buffer.from("points"), never)).status).toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(connections).toBeLessThanOrEqual(6);
});
