import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { type Random, randomHex } from "../random.ts";
import type { ErrorCode } from "./api-errors.ts";
import { errorObject } from "./respond.ts";

/** Gives what Node's parser refuses, and requests that take too long to arrive, an error object as well. */
export function answerMalformedRequests(server: Server, random: Random): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    const requestId = randomHex(random, 32);
    const code: ErrorCode = late ? "EXECUTION_TIMEOUT" : "BAD_REQUEST";
    const body = errorObject(code, late ? "Reading the request took too long" : "The request is no HTTP", requestId);
    const head = [
      `HTTP/1.1 ${late ? "408 Request Timeout" : "400 Bad Request"}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}
