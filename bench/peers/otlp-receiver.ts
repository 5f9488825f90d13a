/** Accepts everything. `count` returns the requests since the last call. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerCommands } from "../processes/answer.ts";

export interface Received {
  readonly requests: number;
  readonly bytes: number;
  readonly largestBytes: number;
}

let received = { requests: 0, bytes: 0, largestBytes: 0 };

const server = createServer((request, response) => {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
  });
  request.on("end", () => {
    const { requests, bytes, largestBytes } = received;
    received = { requests: requests + 1, bytes: bytes + size, largestBytes: Math.max(largestBytes, size) };
    // An empty message means full success.
    response.writeHead(200, { "content-type": "application/x-protobuf", "content-length": 0 }).end();
  });
});

answerCommands({
  count: (): Received => {
    const counted = received;
    received = { requests: 0, bytes: 0, largestBytes: 0 };
    return counted;
  },
});
server.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
