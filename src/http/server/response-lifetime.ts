import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";

/** Whether nothing more reaches the reader of a response: it has all of it, or it has gone. */
export function isClosed(response: ServerResponse): boolean {
  const either: ServerResponse | Http2ServerResponse = response;
  // That of HTTP/2 has neither `closed` nor `destroyed`: its stream has.
  if (isHttp2(either)) return either.stream.closed || either.stream.destroyed;
  return response.closed || response.destroyed;
}

/** By what it has: its class would have to be loaded for those who speak HTTP/1 alone. */
function isHttp2(response: ServerResponse | Http2ServerResponse): response is Http2ServerResponse {
  return "stream" in response;
}

/** Aborts when the reader of an answer goes away before it has all of it, so that nothing more is made for it. */
export function clientGoneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (isClosed(response)) gone.abort();
  else {
    response.once("close", () => {
      if (!response.writableFinished) gone.abort();
    });
  }
  return gone.signal;
}

/**
 * Sees to it that every pipelined response closes. A client may send requests before it has the answers to those before.
 * When one of them is CONNECT, Node ends the connection, closes the response that it was writing, and never those that
 * waited behind it: they would count as under way for ever.
 */
export class PipelinedResponses {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  track({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse): void {
    // Streams of HTTP/2 close one by one.
    if (httpVersionMajor !== 1) return;
    const responses = this.#bySocket.get(socket) ?? this.#watch(socket);
    responses.add(response);
    response.once("close", () => responses.delete(response));
  }

  #watch(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    this.#bySocket.set(socket, responses);
    socket.once("close", () => {
      for (const response of responses) {
        // One that has the socket is Node's to close.
        if (response.socket === socket) continue;
        response.destroy();
        response.emit("close");
      }
    });
    return responses;
  }
}
